//! Writes new objects as one pack with its index (gitformat-pack(5)), without deltas: finding deltas would take several
//! times as long as writing, and git finds them when it repacks.

use super::compress::Compressor;
use super::repo::Repo;
use super::{Error, Oid, Result};
use flate2::Crc;
use git2::{ObjectFormat, ObjectType};
use sha1::Digest;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// From this number of objects on, a landing writes one pack. Git's limit for a push is 100 (`transfer.unpackLimit`), but
/// creating a file and often a directory for each object takes most of a landing's time: 10 edits make 40 objects. Git
/// joins packs when there are 50 (`gc.autoPackLimit`).
pub(super) const PACK_LIMIT: usize = 30;

const BUFFER: usize = 1 << 17;

/// A checksum in the repository's hash format. Its SHA-1 does not detect collisions, since it names no object.
pub(super) enum Checksum {
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
}

impl Checksum {
    pub(super) fn new(format: ObjectFormat) -> Self {
        match format {
            ObjectFormat::Sha1 => Self::Sha1(sha1::Sha1::new()),
            ObjectFormat::Sha256 => Self::Sha256(sha2::Sha256::new()),
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(sum) => sum.update(bytes),
            Self::Sha256(sum) => sum.update(bytes),
        }
    }

    /// The checksum of these slices, concatenated.
    pub(super) fn of<'b>(format: ObjectFormat, pieces: impl IntoIterator<Item = &'b [u8]>) -> Vec<u8> {
        let mut sum = Self::new(format);
        pieces.into_iter().for_each(|piece| sum.update(piece));
        sum.finish()
    }

    pub(super) fn finish(self) -> Vec<u8> {
        match self {
            Self::Sha1(sum) => sum.finalize().to_vec(),
            Self::Sha256(sum) => sum.finalize().to_vec(),
        }
    }
}

/// A file that ends with a checksum of its content.
struct ChecksummedFile {
    file: BufWriter<File>,
    checksum: Checksum,
    written: u64,
}

impl ChecksummedFile {
    fn create(path: &Path, format: ObjectFormat) -> std::io::Result<Self> {
        let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o444).open(path)?;
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(Self { file, checksum: Checksum::new(format), written: 0 })
    }

    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.checksum.update(bytes);
        self.written += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    fn finish(mut self) -> std::io::Result<Vec<u8>> {
        let sum = self.checksum.finish();
        self.file.write_all(&sum)?;
        self.file.flush()?;
        Ok(sum)
    }
}

/// An object's entry in the index.
struct Entry {
    id: Oid,
    crc: u32,
    offset: u64,
}

/// Writes these objects into a directory. Returns the names of the pack and of its index, in the order in which they have
/// to be put in place, since git takes a pack for complete once its index exists.
pub(super) fn write(repo: &Repo, directory: &Path, ids: &[Oid]) -> Result<[String; 2]> {
    let (pack, index) = (directory.join("pack"), directory.join("index"));
    let failed = |e| Error::io("write", &pack, e);
    let mut file = ChecksummedFile::create(&pack, repo.format()).map_err(failed)?;
    let count = u32::try_from(ids.len()).map_err(|e| failed(std::io::Error::other(e)))?;
    file.put(b"PACK\0\0\0\x02").and_then(|()| file.put(&count.to_be_bytes())).map_err(failed)?;
    let mut compress = Compressor::new(repo, "pack.compression")?;
    let mut entries = Vec::with_capacity(ids.len());
    for id in ids {
        let packed = repo.packed(*id, &mut compress)?;
        let start = header(packed.kind, packed.len);
        let mut crc = Crc::new();
        crc.update(&start);
        crc.update(&packed.stream);
        entries.push(Entry { id: *id, crc: crc.sum(), offset: file.written });
        file.put(&start).and_then(|()| file.put(&packed.stream)).map_err(failed)?;
    }
    let sum = file.finish().map_err(failed)?;
    write_index(&index, repo.format(), entries, &sum).map_err(|e| Error::io("write", &index, e))?;
    let name: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    let names = [format!("pack-{name}.pack"), format!("pack-{name}.idx")];
    for (from, name) in [pack, index].iter().zip(&names) {
        std::fs::rename(from, directory.join(name)).map_err(|e| Error::io("write", from, e))?;
    }
    Ok(names)
}

/// An object's header in the pack: its type and uncompressed length.
fn header(kind: ObjectType, len: usize) -> Vec<u8> {
    let kind = match kind {
        ObjectType::Commit => 1,
        ObjectType::Tree => 2,
        ObjectType::Tag => 4,
        _ => 3,
    };
    let mut bytes = vec![(kind << 4) | (len & 0xf) as u8];
    let mut rest = len >> 4;
    while rest > 0 {
        if let Some(last) = bytes.last_mut() {
            *last |= 0x80;
        }
        bytes.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    bytes
}

fn write_index(
    path: &Path,
    format: ObjectFormat,
    mut entries: Vec<Entry>,
    pack: &[u8],
) -> std::io::Result<()> {
    entries.sort_unstable_by_key(|entry| entry.id);
    let mut file = ChecksummedFile::create(path, format)?;
    file.put(b"\xfftOc\0\0\0\x02")?;
    let mut end = 0;
    for first in 0..=u8::MAX {
        // How many ids begin with this byte or a smaller one.
        end += entries[end..].iter().take_while(|entry| entry.id.as_bytes()[0] == first).count();
        file.put(&(end as u32).to_be_bytes())?;
    }
    for entry in &entries {
        file.put(entry.id.as_bytes())?;
    }
    for entry in &entries {
        file.put(&entry.crc.to_be_bytes())?;
    }
    for entry in &entries {
        // Larger offsets have a table of their own, which is not written here.
        let offset =
            i32::try_from(entry.offset).map_err(|_| std::io::Error::other("the pack has more than 2 GB"))?;
        file.put(&offset.to_be_bytes())?;
    }
    file.put(pack)?;
    file.finish().map(drop)
}
