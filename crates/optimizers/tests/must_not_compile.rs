//! What the privacy types forbid does not compile: each file of `must_not_compile/` is an algorithm that tries.

/// What is allowed does compile, as part of this file; the cases differ from it in a line or two.
#[path = "must_not_compile/honest.rs"]
#[expect(dead_code, reason = "it only has to compile")]
mod honest;

#[test]
fn the_privacy_types_forbid_it() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/must_not_compile/sends_private.rs");
    cases.compile_fail("tests/must_not_compile/releases_twice.rs");
    cases.compile_fail("tests/must_not_compile/clones_private.rs");
    cases.compile_fail("tests/must_not_compile/reuses_batch.rs");
    cases.compile_fail("tests/must_not_compile/keeps_private.rs");
    cases.compile_fail("tests/must_not_compile/reads_private.rs");
    cases.compile_fail("tests/must_not_compile/makes_public.rs");
}
