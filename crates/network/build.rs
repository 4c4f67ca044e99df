//! Makes the messages of `proto/` with a compiler in Rust: `protoc` is not needed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto");
    #[cfg(feature = "grpc")]
    {
        let files = protox::compile(["dido/network/v1/party.proto"], ["proto"])?;
        tonic_prost_build::configure().build_transport(false).compile_fds(files)?;
    }
    Ok(())
}
