//! Java's old key stores, JKS: still what most trust stores are. (A file named so may as well be PKCS12, which keytool has
//! written since Java 9.)
//!
//! Read here because the one library that reads them trusts the lengths in the file. The format is that of OpenJDK's
//! `JavaKeyStore` and `KeyProtector`: entries, then a SHA-1 over password, a fixed word and all before it.

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use thiserror::Error;
use zeroize::Zeroizing;

use super::der::{OCTETS, SEQUENCE, element};
use crate::secret::Secret;

/// What such a file begins with.
pub const MAGIC: [u8; 4] = [0xfe, 0xed, 0xfe, 0xed];

const DIGEST: usize = 20;
const KEY: u32 = 1;
const CERTIFICATE: u32 = 2;
/// What protects keys, as DER: SEQUENCE of the OID 1.3.6.1.4.1.42.2.17.1.1 and NULL.
const PROTECTOR: [u8; 14] = [6, 10, 0x2b, 6, 1, 4, 1, 0x2a, 2, 0x11, 1, 1, 5, 0];

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JksFault {
    /// It ends too early, or says what no JKS file says.
    #[error("it is damaged, or no JKS store")]
    Damaged,
    /// The digest at its end.
    #[error("its password is wrong, or it is damaged")]
    WrongPassword,
    /// The digest of a key.
    #[error("the password of its key is wrong")]
    WrongKeyPassword,
    /// Not by Sun's own algorithm.
    #[error(
        "its key is protected in a way that is not read here: convert it with keytool -importkeystore -deststoretype PKCS12"
    )]
    OtherProtection,
}

/// What a store holds, in its order.
#[derive(Debug)]
pub enum Entry {
    /// A certificate that is trusted, as DER.
    Trusted(Vec<u8>),
    /// A key, still protected, and its certificates, its own first.
    Key {
        /// For [`unlock`].
        protected: Vec<u8>,
        /// As DER.
        chain: Vec<Vec<u8>>,
    },
}

/// Reads a store; without a password its digest is not checked, as Java does it with a trust store.
///
/// # Errors
/// It is none, or the password is not its own.
pub fn read(file: &[u8], password: Option<&Secret>) -> Result<Vec<Entry>, JksFault> {
    let end = file.len().checked_sub(DIGEST).ok_or(JksFault::Damaged)?;
    let (content, digest) = file.split_at(end);
    if let Some(password) = password {
        let found = sha1(&[&utf16(password), b"Mighty Aphrodite", content]);
        if found.as_slice() != digest {
            return Err(JksFault::WrongPassword);
        }
    }
    let mut reader = Reader(content);
    if reader.take(4)? != MAGIC {
        return Err(JksFault::Damaged);
    }
    let version = reader.number()?;
    if !(1..=2).contains(&version) {
        return Err(JksFault::Damaged);
    }
    let mut entries = Vec::new();
    for _ in 0..reader.number()? {
        let kind = reader.number()?;
        let _alias = reader.text()?;
        let _made_at = reader.take(8)?;
        entries.push(match kind {
            CERTIFICATE => Entry::Trusted(reader.certificate(version)?),
            KEY => {
                let protected = reader.block()?.to_vec();
                let mut chain = Vec::new();
                for _ in 0..reader.number()? {
                    chain.push(reader.certificate(version)?);
                }
                Entry::Key { protected, chain }
            }
            _ => return Err(JksFault::Damaged),
        });
    }
    Ok(entries)
}

/// A key as PKCS#8, out of its protection.
///
/// # Errors
/// The password is not its own, or it is protected otherwise.
pub fn unlock(protected: &[u8], password: &Secret) -> Result<Zeroizing<Vec<u8>>, JksFault> {
    let (inside, _) = element(protected, SEQUENCE).ok_or(JksFault::Damaged)?;
    let (algorithm, rest) = element(inside, SEQUENCE).ok_or(JksFault::Damaged)?;
    if algorithm != PROTECTOR {
        return Err(JksFault::OtherProtection);
    }
    let (sealed, _) = element(rest, OCTETS).ok_or(JksFault::Damaged)?;
    let (salt, sealed) = sealed.split_at_checked(DIGEST).ok_or(JksFault::Damaged)?;
    let end = sealed.len().checked_sub(DIGEST).ok_or(JksFault::Damaged)?;
    let (sealed, digest) = sealed.split_at(end);
    let password = utf16(password);
    let mut key = Zeroizing::new(Vec::with_capacity(sealed.len()));
    let mut stream = Zeroizing::new(salt.to_vec());
    for part in sealed.chunks(DIGEST) {
        stream = sha1(&[&password, &stream]);
        key.extend(part.iter().zip(stream.iter()).map(|(sealed, mask)| sealed ^ mask));
    }
    if sha1(&[&password, &key]).as_slice() != digest {
        return Err(JksFault::WrongKeyPassword);
    }
    Ok(key)
}

/// Wiped: what a key is sealed with is as good as the key.
fn sha1(parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    for part in parts {
        context.update(part);
    }
    Zeroizing::new(context.finish().as_ref().to_vec())
}

/// A password as Java hashes it.
fn utf16(password: &Secret) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(2 * password.expose().len()));
    for unit in password.expose().encode_utf16() {
        bytes.extend(unit.to_be_bytes());
    }
    bytes
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], JksFault> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(JksFault::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, JksFault> {
        let bytes = self.take(4)?.first_chunk().ok_or(JksFault::Damaged)?;
        Ok(u32::from_be_bytes(*bytes))
    }

    /// Bytes behind their length in four.
    fn block(&mut self) -> Result<&'a [u8], JksFault> {
        let length = self.number()?;
        self.take(usize::try_from(length).map_err(|_| JksFault::Damaged)?)
    }

    /// Bytes behind their length in two.
    fn text(&mut self) -> Result<&'a [u8], JksFault> {
        let bytes = self.take(2)?.first_chunk().ok_or(JksFault::Damaged)?;
        self.take(u16::from_be_bytes(*bytes).into())
    }

    fn certificate(&mut self, version: u32) -> Result<Vec<u8>, JksFault> {
        if version == 2 {
            let _kind = self.text()?;
        }
        Ok(self.block()?.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::{JksFault, read, unlock};
    use crate::secret::Secret;

    #[test]
    fn nothing_in_a_file_makes_the_reader_panic_or_allocate_by_what_it_says() {
        let password = Secret::new("changeit".to_owned());
        proptest::proptest!(|(rest: Vec<u8>, count in 0_u32.., kind in 0_u32..4)| {
            let mut file = [&super::MAGIC[..], &2_u32.to_be_bytes(), &count.to_be_bytes()].concat();
            file.extend(kind.to_be_bytes());
            file.extend(&rest);
            let _either = read(&file, None);
            proptest::prop_assert_eq!(read(&file, Some(&password)).err().is_some(), true);
            let _either = unlock(&rest, &password);
        });
        assert_eq!(read(b"", None).unwrap_err(), JksFault::Damaged);
    }
}
