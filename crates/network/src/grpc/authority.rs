//! Certificates for tests and trials. In earnest a consortium has an authority of its own, whose key lies on no party's machine.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use time::{Duration, OffsetDateTime};

use super::is_party_name;

/// An authority that signs certificates of parties.
#[derive(Debug)]
pub struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
    key: String,
}

/// A certificate with its private key, both as PEM.
#[derive(Clone, Debug)]
pub struct Issued {
    /// The certificate.
    pub certificate: String,
    /// The key, to be kept secret.
    pub key: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// Such a name cannot stand in a certificate.
    #[error("{0:?} is no name for a party: letters, digits, dashes and dots, as in hospital-3")]
    Name(String),
    /// From the library.
    #[error(transparent)]
    Certificate(#[from] rcgen::Error),
}

impl Authority {
    /// A new authority, valid for `days` from now.
    ///
    /// # Errors
    /// If there is no entropy for a key.
    pub fn new(name: &str, days: u16) -> Result<Self, AuthorityError> {
        let key = KeyPair::generate()?;
        let mut params = params(vec![], name, days)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self { certificate, key: key.serialize_pem(), issuer: Issuer::new(params, key) })
    }

    /// The authority of these files, both as PEM.
    ///
    /// # Errors
    /// If they are no certificate and its key.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, AuthorityError> {
        let issuer = Issuer::from_ca_cert_pem(certificate, KeyPair::from_pem(key)?)?;
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), issuer })
    }

    /// Its certificate, as PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Its private key, as PEM. Whoever has it can be any party.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// A certificate for the party `name`, to call and to be called, valid for `days` from now.
    ///
    /// # Errors
    /// If the name cannot stand in a certificate, or there is no entropy for a key.
    pub fn issue(&self, name: &str, days: u16) -> Result<Issued, AuthorityError> {
        self.issue_from(name, 0, days)
    }

    /// The same, valid from `start` days after now, which may be negative, for `days`.
    ///
    /// # Errors
    /// As [`issue`](Self::issue).
    pub fn issue_from(&self, name: &str, start: i16, days: u16) -> Result<Issued, AuthorityError> {
        if !is_party_name(name) {
            return Err(AuthorityError::Name(name.to_owned()));
        }
        let key = KeyPair::generate()?;
        let mut params = params(vec![name.to_owned()], name, days)?;
        let shift = Duration::days(start.into());
        (params.not_before, params.not_after) = (params.not_before + shift, params.not_after + shift);
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Issued { certificate, key: key.serialize_pem() })
    }
}

/// Valid for `days`, from an hour ago on: clocks differ.
fn params(names: Vec<String>, name: &str, days: u16) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, name);
    let now = OffsetDateTime::now_utc();
    (params.not_before, params.not_after) = (now - Duration::hours(1), now + Duration::days(days.into()));
    Ok(params)
}
