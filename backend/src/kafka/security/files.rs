//! Files that `--command-config` names: stores, keys, tokens.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use zeroize::Zeroizing;

use crate::limits;

/// A file's bytes, wiped when dropped.
///
/// # Errors
/// A sentence that names the file: it is not there, may not be read, is too long.
pub fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, String> {
    let named = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let file = File::open(path).map_err(named)?;
    let told = file.metadata().map_err(named)?.len();
    let most = limits::SECURITY_FILE;
    let too_long = || format!("{} is longer than {most} bytes", path.display());
    if told > most as u64 {
        return Err(too_long());
    }
    // Room for all of it and one more, so that the bytes do not move while they are read.
    let room = usize::try_from(told).unwrap_or(most) + 1;
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    file.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(named)?;
    if bytes.len() > most {
        return Err(too_long());
    }
    Ok(bytes)
}
