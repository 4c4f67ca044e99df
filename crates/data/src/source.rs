//! Where bytes come from.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::{DataError, Fault};

/// A file, or bytes with a name for the messages. `Debug` shows the name.
#[derive(Clone)]
pub struct Source {
    name: String,
    content: Content,
}

#[derive(Clone)]
enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Source {
    /// A file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self { name: path.display().to_string(), content: Content::File(path.to_owned()) }
    }

    /// The content of a file, and what to call it. The end of the name is looked at as that of a file would be.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), content: Content::Bytes(bytes.into()) }
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The end of the name in lower case, without `.gz`.
    pub(crate) fn extension(&self) -> String {
        let name = self.name.to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        Path::new(name).extension().map_or_else(String::new, |end| end.to_string_lossy().into_owned())
    }

    /// The bytes; if they are packed by gzip, unpacked. At most `limit`, before and after.
    pub(crate) fn read(&self, limit: u64) -> Result<Cow<'_, [u8]>, DataError> {
        let fail = |fault| DataError::whole(self.name.as_str(), fault);
        let bytes = match &self.content {
            Content::File(path) => {
                let file = File::open(path).map_err(|e| fail(Fault::Unreadable(e)))?;
                Cow::Owned(bounded(file, limit).map_err(fail)?)
            }
            Content::Bytes(bytes) if bytes.len() as u64 > limit => return Err(fail(Fault::TooLarge(limit))),
            Content::Bytes(bytes) => Cow::Borrowed(bytes.as_slice()),
        };
        if bytes.starts_with(&[0x1f, 0x8b]) {
            return bounded(MultiGzDecoder::new(&*bytes), limit).map(Cow::Owned).map_err(|fault| match fault {
                Fault::Unreadable(e) => fail(Fault::Damaged(format!("the gzip data are damaged or cut off: {e}"))),
                fault => fail(fault),
            });
        }
        Ok(bytes)
    }
}

/// Everything, unless it is more than the limit. The buffer grows with what has arrived, never by what was announced.
pub(crate) fn bounded(reader: impl Read, limit: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(Fault::Unreadable)?;
    if bytes.len() as u64 > limit { Err(Fault::TooLarge(limit)) } else { Ok(bytes) }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
