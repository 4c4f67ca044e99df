//! Certificates: who a party is, and whom it believes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The only protocol inside of TLS.
const HTTP2: &[u8] = b"h2";

/// The files of a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialFiles {
    /// The certificates of the authorities that the consortium trusts, as PEM.
    pub authority: PathBuf,
    /// The certificate of the party, and those between it and the authority, as PEM.
    pub certificate: PathBuf,
    /// Its private key, as PEM.
    pub key: PathBuf,
}

/// What is wrong with a certificate, in one line with its file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct CredentialError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub what: String,
}

/// What a certificate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    /// The names it is for.
    pub names: Vec<String>,
    /// Its first second, since 1970.
    pub not_before: i64,
    /// Its last second, since 1970.
    pub not_after: i64,
}

/// Who a party is, and whom it believes: checked and ready to use.
#[derive(Clone, Debug)]
pub struct Credentials {
    pub(super) client: Arc<ClientConfig>,
    pub(super) server: Arc<ServerConfig>,
    own: Certified,
}

impl Credentials {
    /// Reads the files of the party `name`.
    ///
    /// # Errors
    /// If a file cannot be read or has no certificate or key; if others may read the key; if the certificate is for other names, or
    /// not valid now.
    pub fn read(files: &CredentialFiles, name: &str) -> Result<Self, CredentialError> {
        let CredentialFiles { authority, certificate, key } = files;
        only_for_me(key)?;
        let roots = roots(authority)?;
        let chain = certificates(certificate)?;
        let own = Certified::of(&chain[0]).map_err(wrong(certificate))?;
        if !own.names.iter().any(|own| own == name) {
            let what = format!("the certificate is for {}, not for {name}", own.names.join(", "));
            return Err(wrong(certificate)(what));
        }
        own.is_valid(now()).map_err(wrong(certificate))?;
        let secret =
            || PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key)(format!("no private key: {error}")));
        let unfit = |error: rustls::Error| wrong(key)(format!("the key does not fit the certificate: {error}"));
        let client = ClientConfig::builder().with_root_certificates(Arc::clone(&roots));
        let mut client = client.with_client_auth_cert(chain.clone(), secret()?).map_err(unfit)?;
        let verifier = WebPkiClientVerifier::builder(roots).build();
        let verifier = verifier.map_err(|error| wrong(authority)(error.to_string()))?;
        let server = ServerConfig::builder().with_client_cert_verifier(verifier);
        let mut server = server.with_single_cert(chain, secret()?).map_err(unfit)?;
        client.alpn_protocols = vec![HTTP2.to_vec()];
        server.alpn_protocols = vec![HTTP2.to_vec()];
        Ok(Self { client: Arc::new(client), server: Arc::new(server), own })
    }

    /// What the own certificate says.
    pub fn own(&self) -> &Certified {
        &self.own
    }
}

impl Certified {
    /// Reads a certificate that has been verified, or is one's own.
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Result<Self, String> {
        let (_, parsed) = X509Certificate::from_der(certificate).map_err(|error| error.to_string())?;
        let names = parsed.subject_alternative_name().map_err(|error| error.to_string())?;
        let dns = |name: &GeneralName<'_>| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            _ => None,
        };
        let names = names.map_or(vec![], |names| names.value.general_names.iter().filter_map(dns).collect());
        let validity = parsed.validity();
        let (not_before, not_after) = (validity.not_before.timestamp(), validity.not_after.timestamp());
        Ok(Self { names, not_before, not_after })
    }

    fn is_valid(&self, now: i64) -> Result<(), String> {
        if now < self.not_before {
            Err("the certificate is not valid yet: is the clock right?".to_owned())
        } else if now > self.not_after {
            Err("the certificate has expired".to_owned())
        } else {
            Ok(())
        }
    }

    /// Whole days until it expires.
    pub fn days_left(&self) -> i64 {
        (self.not_after - now()).div_euclid(24 * 3600)
    }
}

/// Whether a name can stand in a certificate: letters, digits, dashes and dots.
pub fn is_party_name(name: &str) -> bool {
    ServerName::try_from(name).is_ok_and(|name| matches!(name, ServerName::DnsName(_))) && !name.ends_with('.')
}

fn wrong(path: &Path) -> impl Fn(String) -> CredentialError {
    move |what| CredentialError { path: path.to_owned(), what }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(since).unwrap_or(i64::MAX)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, CredentialError> {
    let all = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match all {
        Ok(all) if all.is_empty() => Err(wrong(path)("no certificate".to_owned())),
        Ok(all) => Ok(all),
        Err(error) => Err(wrong(path)(format!("no certificate: {error}"))),
    }
}

fn roots(path: &Path) -> Result<Arc<RootCertStore>, CredentialError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| wrong(path)(format!("no authority: {error}")))?;
    }
    Ok(Arc::new(roots))
}

/// Refuses a private key that other users can read.
fn only_for_me(key: &Path) -> Result<(), CredentialError> {
    use std::os::unix::fs::PermissionsExt;

    let mode = fs::metadata(key).map_err(|error| wrong(key)(error.to_string()))?.permissions().mode();
    let others = mode & 0o077;
    if others == 0 { Ok(()) } else { Err(wrong(key)(format!("others can read it: chmod 600 {}", key.display()))) }
}
