//! The data directory and the thread that writes: what is kept is there again, and what goes wrong is said.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use redb::StorageBackend;
use redb::backends::InMemoryBackend;
use shared::ids::ClusterId;
use shared::protocol::offsets_log::{
    GroupMetadataKey, GroupMetadataValue, OffsetCommitKey, OffsetCommitValue,
};

use super::*;

/// A directory of a test's own, gone with it.
pub(in crate::embedded) struct Scratch(PathBuf);

impl Scratch {
    pub(in crate::embedded) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heartline-test-{}-{name}", std::process::id()));
        let _none = fs::remove_dir_all(&path);
        Self(path)
    }

    pub(in crate::embedded) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

pub(in crate::embedded) fn fresh() -> ClusterId {
    ClusterId::from("AAAAAAAAAAAAAAAAAAAA-_")
}

fn open(scratch: &Scratch) -> Result<DataDir, DataDirError> {
    DataDir::open(scratch.path(), &fresh())
}

fn refusal(scratch: &Scratch) -> String {
    open(scratch).expect_err("it cannot be used").to_string()
}

fn file(scratch: &Scratch) -> PathBuf {
    scratch.path().join(fresh().as_str()).join("coordinator")
}

fn group(generation: i32) -> OffsetsRecord {
    let value = GroupMetadataValue {
        protocol_type: "consumer".into(),
        generation,
        ..GroupMetadataValue::default()
    };
    OffsetsRecord::Group(GroupMetadataKey { group: "g".into() }, Some(value))
}

fn commit(offset: Option<i64>) -> OffsetsRecord {
    let key = OffsetCommitKey {
        group: "g".into(),
        topic: "demo".into(),
        partition: 1,
    };
    let value = |offset| OffsetCommitValue {
        offset,
        ..OffsetCommitValue::default()
    };
    OffsetsRecord::Commit(key, offset.map(value))
}

/// Generation and offset that a log has of group `g`.
fn kept(store: &Store, before: bool) -> (Option<i32>, Option<i64>) {
    let partition = crate::coordinator::offsets_log::partition_of("g");
    let records = if before {
        store.records_before(partition)
    } else {
        store.records(partition)
    };
    let (mut generation, mut offset) = (None, None);
    for record in records {
        match record {
            OffsetsRecord::Group(_, value) => generation = value.map(|value| value.generation),
            OffsetsRecord::Commit(_, value) => offset = value.map(|value| value.offset),
        }
    }
    (generation, offset)
}

/// Appends, and waits for the disk.
async fn append(
    store: &mut Store,
    stored: &mut Stored,
    append: u64,
    records: Vec<OffsetsRecord>,
) -> Result<(), i16> {
    let append = AppendId(append);
    if let Some(refused) = store.append(append, records, UnixMs(7)) {
        return refused;
    }
    let done = stored
        .recv()
        .await
        .expect("the disk answers")
        .pop()
        .expect("to one");
    let (told, result) = store.stored(done);
    assert_eq!(told, append);
    result
}

#[test]
fn in_memory_the_newest_of_each_key_counts_and_of_a_group_the_one_before_is_there() {
    let mut store = Store::default();
    let mut add = |records| assert_eq!(store.append(AppendId(1), records, UnixMs(7)), Some(Ok(())));
    add(vec![group(1), commit(Some(5))]);
    add(vec![group(2), commit(Some(6))]);
    assert_eq!(kept(&store, false), (Some(2), Some(6)));
    assert_eq!(kept(&store, true), (Some(1), Some(6)));
    let records = store.records(crate::coordinator::offsets_log::partition_of("g"));
    assert!(records.iter().all(|record| match record {
        OffsetsRecord::Group(_, value) => value.as_ref().unwrap().current_state_timestamp == 7,
        OffsetsRecord::Commit(_, value) => value.as_ref().unwrap().commit_timestamp == 7,
    }));
    let OffsetsRecord::Group(key, _) = group(0) else {
        unreachable!()
    };
    store.append(
        AppendId(2),
        vec![OffsetsRecord::Group(key, None), commit(None)],
        UnixMs(8),
    );
    assert!(store.partitions().is_empty());
}

#[test]
fn a_name_too_long_for_a_record_is_refused_as_too_large() {
    let OffsetsRecord::Commit(mut key, value) = commit(Some(1)) else {
        unreachable!()
    };
    key.topic = "t".repeat(40_000);
    let record = OffsetsRecord::Commit(key, value);
    let mut store = Store::default();
    assert_eq!(store.append(AppendId(1), vec![record], UnixMs(7)), Some(Err(10)));
    assert!(store.partitions().is_empty());
}

#[tokio::test]
async fn what_was_answered_is_there_at_the_next_start_under_the_same_cluster_id() {
    let scratch = Scratch::new("again");
    let (mut store, mut stored) = Store::on_disk(open(&scratch).unwrap()).unwrap();
    assert_eq!(
        append(&mut store, &mut stored, 1, vec![group(1), commit(Some(5))]).await,
        Ok(())
    );
    assert_eq!(append(&mut store, &mut stored, 2, vec![group(2)]).await, Ok(()));
    store.close();
    assert!(
        stored.recv().await.is_none(),
        "all is written and the file closed"
    );
    let again = DataDir::open(scratch.path(), &ClusterId::from("another")).unwrap();
    assert_eq!(*again.cluster(), fresh());
    let (store, _stored) = Store::on_disk(again).unwrap();
    assert_eq!(kept(&store, false), (Some(2), Some(5)));
}

#[tokio::test]
async fn the_logs_go_on_where_they_ended_and_not_before_what_was_committed() {
    let scratch = Scratch::new("ends");
    let end = |partition, offset| End {
        topic: "demo".into(),
        partition,
        offset,
    };
    let (mut store, mut stored) = Store::on_disk(open(&scratch).unwrap()).unwrap();
    store.save_ends(vec![end(0, 9), end(1, 3)]);
    assert_eq!(
        append(&mut store, &mut stored, 1, vec![commit(Some(5))]).await,
        Ok(())
    );
    store.close();
    assert!(stored.recv().await.is_none());
    let (store, _stored) = Store::on_disk(open(&scratch).unwrap()).unwrap();
    assert_eq!(store.ends(), [end(0, 9), end(1, 5)]);
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("private");
    let _open = open(&scratch).unwrap();
    let folder = scratch.path().join(fresh().as_str());
    let cluster_id = scratch.path().join("cluster-id");
    for (path, mode) in [
        (scratch.path(), 0o700),
        (folder.as_path(), 0o700),
        (cluster_id.as_path(), 0o600),
        (file(&scratch).as_path(), 0o600),
    ] {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            mode,
            "{path:?}"
        );
    }
}

#[test]
fn a_second_user_of_a_directory_is_refused_while_the_first_is_there() {
    let scratch = Scratch::new("twice");
    let first = open(&scratch).unwrap();
    let line = refusal(&scratch);
    assert!(
        line.ends_with("is in use: another Heartline runs on this data directory"),
        "{line}"
    );
    drop(first);
    assert!(open(&scratch).is_ok());
}

#[test]
fn a_file_of_a_newer_format_is_refused_with_both_numbers() {
    let scratch = Scratch::new("newer");
    let first = open(&scratch).unwrap();
    let writing = first.database.begin_write().unwrap();
    let about = redb::TableDefinition::<&str, u64>::new("about");
    writing.open_table(about).unwrap().insert("format", 2).unwrap();
    writing.commit().unwrap();
    drop(first);
    let line = refusal(&scratch);
    assert!(
        line.ends_with("has format 2, written by a newer Heartline; this one knows format 1"),
        "{line}"
    );
}

#[test]
fn what_is_damaged_is_named_and_not_touched() {
    let scratch = Scratch::new("damaged");
    drop(open(&scratch).unwrap());
    let rubbish = vec![0x55; 10_000];
    fs::write(file(&scratch), &rubbish).unwrap();
    let line = refusal(&scratch);
    assert!(line.contains("coordinator is damaged: "), "{line}");
    assert!(line.ends_with("to start empty move the file away"), "{line}");
    assert_eq!(fs::read(file(&scratch)).unwrap(), rubbish);
    fs::write(scratch.path().join("cluster-id"), "what\n").unwrap();
    let line = refusal(&scratch);
    assert!(
        line.contains("cluster-id holds \"what\", where a cluster id of 22"),
        "{line}"
    );
}

#[test]
fn a_record_that_cannot_be_read_is_damage_and_one_of_another_type_is_not() {
    let scratch = Scratch::new("record");
    let put = |key: &[u8], value: &[u8]| {
        let first = open(&scratch).unwrap();
        let writing = first.database.begin_write().unwrap();
        writing
            .open_table(data_dir::OFFSETS)
            .unwrap()
            .insert(key, value)
            .unwrap();
        writing.commit().unwrap();
    };
    put(&[0, 3, 0, 1, b'g'], &[0, 0, 1]);
    assert!(open(&scratch).unwrap().rows.is_empty());
    put(&[0, 2, 0, 1, b'g'], &[0, 9]);
    let line = refusal(&scratch);
    assert!(line.contains("a record of group \"g\" cannot be read"), "{line}");
}

#[test]
fn a_directory_that_cannot_be_made_is_named_with_the_reason() {
    let scratch = Scratch::new("file");
    fs::write(scratch.path(), "not a folder").unwrap();
    let inside = scratch.path().join("inside");
    let line = DataDir::open(&inside, &fresh()).unwrap_err().to_string();
    assert!(line.starts_with(&inside.display().to_string()), "{line}");
    fs::remove_file(scratch.path()).unwrap();
}

/// A disk that is full while it is told to be.
#[derive(Debug)]
struct FullDisk {
    disk: InMemoryBackend,
    full: Arc<AtomicBool>,
}

impl FullDisk {
    fn check(&self) -> io::Result<()> {
        if self.full.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

impl StorageBackend for FullDisk {
    fn len(&self) -> Result<u64, io::Error> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.check()?;
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.check()?;
        self.disk.write(offset, data)
    }
}

#[tokio::test]
async fn a_full_disk_fails_what_is_written_and_the_next_finds_the_file_open_again() {
    let full = Arc::new(AtomicBool::new(false));
    let database = {
        let full = Arc::clone(&full);
        move || {
            let disk = InMemoryBackend::new();
            let full = Arc::clone(&full);
            redb::Builder::new().create_with_backend(FullDisk { disk, full })
        }
    };
    let first = database().unwrap();
    let (disk, mut stored) = Disk::start(first, Box::new(database)).unwrap();
    let mut store = Store {
        disk: Some(disk),
        ..Store::default()
    };
    assert_eq!(append(&mut store, &mut stored, 1, vec![group(1)]).await, Ok(()));
    full.store(true, Ordering::Relaxed);
    for n in 2..4 {
        assert_eq!(append(&mut store, &mut stored, n, vec![group(2)]).await, Err(56));
    }
    assert_eq!(kept(&store, false).0, Some(1), "what failed does not count");
    full.store(false, Ordering::Relaxed);
    assert_eq!(append(&mut store, &mut stored, 4, vec![group(3)]).await, Ok(()));
    assert_eq!(kept(&store, false).0, Some(3));
}
