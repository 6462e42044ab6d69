//! What can go wrong with the file: each is said, and nothing that is kept in memory is touched by it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::StorageBackend;
use redb::backends::InMemoryBackend;

use super::*;
use crate::journal::file::{BOARDS, BOARDS_1};

/// A disk that is full while it is told to be, and goes on from what it has each time it is opened.
#[derive(Clone, Debug, Default)]
struct Disk {
    bytes: Arc<InMemoryBackend>,
    full: Arc<AtomicBool>,
}

impl Disk {
    fn check(&self) -> io::Result<()> {
        if self.full.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> Result<u64, io::Error> {
        self.bytes.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.bytes.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.check()?;
        self.bytes.set_len(len)
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.check()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.check()?;
        self.bytes.write(offset, data)
    }
}

fn transitions(from: u64, to: u64) -> Vec<Event> {
    (from..=to).map(|seq| event(seq, Tier::Transitions)).collect()
}

#[test]
fn a_full_disk_is_said_what_came_meanwhile_waits_and_nothing_is_there_twice() {
    let disk = Disk::default();
    let on = disk.clone();
    let open = move || redb::Builder::new().create_with_backend(on.clone());
    let state = Arc::new(State::new(Path::new("full"), open));
    let mut writer = Writer::new(state.open().unwrap(), Clock::starting_at(NOW), Arc::clone(&state));
    writer.begin().unwrap();
    let reader = Reader::new(Arc::clone(&state));
    for round in 0..20 {
        let first = round * 30 + 1;
        writer.take(Job::Events(range(&transitions(first, first + 9))));
        assert!(writer.write(NOW, false));
        disk.full.store(true, Ordering::Relaxed);
        for part in [first + 10, first + 20] {
            writer.take(Job::Events(range(&transitions(part, part + 9))));
            assert!(!writer.write(NOW, false));
            let trouble = reader.trouble().unwrap();
            assert!(trouble.contains("no storage space"), "{trouble}");
        }
        assert!(
            reader.events(0, 10).is_err(),
            "nobody reads what may be half written"
        );
        disk.full.store(false, Ordering::Relaxed);
        assert!(writer.write(NOW, false));
        assert_eq!(reader.trouble(), None);
        assert_eq!(all(&reader), transitions(1, first + 29));
    }
    assert_eq!(reader.lost(), 0);
}

#[test]
fn a_disk_that_stays_full_costs_the_oldest_that_wait_and_they_are_counted() {
    let scratch = Scratch::new("full");
    let (mut writer, reader, _) = open(&scratch.file());
    let most = limits::JOURNAL_WAITING as u64;
    let mut from = 1;
    while from <= 2 * most + 1 {
        writer.take(Job::Events(range(&transitions(from, from + 999))));
        from += 1_000;
    }
    assert_eq!(reader.lost(), most);
    assert!(writer.write(NOW, false));
    let kept = reader.events(0, 1).unwrap();
    assert_eq!((kept.events[0].event.seq, kept.whole_above), (most + 1, most));
}

#[test]
fn a_burst_of_more_than_may_wait_is_written_at_once_and_nothing_of_it_is_lost() {
    let scratch = Scratch::new("burst");
    let (writer, reader, _) = open(&scratch.file());
    let (jobs, queue) = sync_channel(8);
    let writing = thread::spawn(move || writer.run(&queue));
    let last = 3 * limits::JOURNAL_WAITING as u64;
    for from in (1..=last).step_by(128) {
        let to = (from + 127).min(last);
        assert!(reader.state.queue(128));
        jobs.send(Job::Events(range(&transitions(from, to)))).unwrap();
    }
    drop(jobs);
    writing.join().unwrap();
    assert_eq!(reader.lost(), 0);
    let kept = reader.events(last - 1, 10).unwrap();
    assert_eq!((kept.events.len(), kept.to, kept.whole_above), (1, last, 0));
}

#[test]
fn what_the_way_to_the_writer_has_no_room_for_is_lost_and_counted() {
    let scratch = Scratch::new("queue");
    let (_writer, reader, _) = open(&scratch.file());
    let (jobs, _queue) = sync_channel(limits::JOURNAL_QUEUE);
    let state = Arc::clone(&reader.state);
    let journal = Journal { jobs, state };
    let ranges = limits::JOURNAL_QUEUE_EVENTS as u64 / 128 + 2;
    for number in 0..ranges {
        journal.keep(range(&transitions(number * 128 + 1, number * 128 + 128)));
    }
    assert_eq!(reader.lost(), 256);
    let kept = reader.events(0, 10).unwrap();
    assert_eq!(kept.whole_above, ranges * 128, "the newest were lost");
}

#[test]
fn boards_that_the_disk_refuses_do_not_pile_up() {
    let disk = Disk::default();
    let on = disk.clone();
    let open = move || redb::Builder::new().create_with_backend(on.clone());
    let state = Arc::new(State::new(Path::new("boards"), open));
    let mut writer = Writer::new(state.open().unwrap(), Clock::starting_at(NOW), Arc::clone(&state));
    writer.begin().unwrap();
    disk.full.store(true, Ordering::Relaxed);
    for seq in 0..10 {
        let board = Keyframe::of(&Board::default(), seq, UnixMs(NOW.0 + seq)).unwrap();
        writer.take(Job::Board(Arc::new(board)));
        assert!(!writer.write(NOW, false));
    }
    disk.full.store(false, Ordering::Relaxed);
    assert!(writer.write(NOW, false));
    let oldest = Reader::new(state).past(NOW).unwrap().unwrap_err();
    assert_eq!(oldest, Some(UnixMs(NOW.0 + 8)));
}

#[test]
fn a_damaged_file_is_told_or_read_as_it_was_but_never_panics() {
    let scratch = Scratch::new("flipped");
    let (mut writer, reader, _) = open(&scratch.file());
    writer.take(Job::Board(Arc::new(
        Keyframe::of(&Board::default(), 0, NOW).unwrap(),
    )));
    let events = transitions(1, 600);
    writer.take(Job::Events(range(&events)));
    assert!(writer.write(NOW, true));
    drop((writer, reader));
    let whole = fs::read(scratch.file()).unwrap();
    let mut seed = 11;
    let (mut refused, mut as_it_was) = (0, 0);
    for round in 0..60 {
        let mut bytes = whole.clone();
        // Some in the head, which says where all else is; the rest anywhere.
        let within = if round % 3 == 0 { 512 } else { bytes.len() as u64 };
        for _ in 0..=round % 4 {
            let at = (shared::split_mix::next(&mut seed) % within) as usize;
            bytes[at] ^= 1 << (round % 8);
        }
        fs::write(scratch.file(), &bytes).unwrap();
        match Journal::open(&scratch.file(), Clock::starting_at(NOW)) {
            Err(error) => {
                let line = error.to_string();
                assert!(!line.contains('\n') && line.contains("journal"), "{line}");
                refused += 1;
            }
            Ok((keeping, writing)) => {
                if let Keeping::Journal(journal, _) = &keeping {
                    for event in all(&journal.reader()) {
                        assert_eq!(event, events[event.seq as usize - 1]);
                    }
                }
                drop(keeping);
                writing.wait();
                as_it_was += 1;
            }
        }
    }
    assert!(refused > 10, "{refused} refused, {as_it_was} read");
}

#[test]
fn a_file_of_a_newer_heartline_is_refused_with_both_numbers_and_stays_as_it_is() {
    let scratch = Scratch::new("newer");
    drop(open(&scratch.file()));
    set_format(&scratch.file(), 99);
    let line = Journal::open(&scratch.file(), Clock::starting_at(NOW))
        .unwrap_err()
        .to_string();
    assert!(
        line.ends_with("has format 99, written by a newer Heartline; this one knows format 2"),
        "{line}"
    );
}

fn set_format(path: &Path, format: u64) {
    let database = redb::Database::open(path).unwrap();
    let writing = database.begin_write().unwrap();
    let about = redb::TableDefinition::<&str, u64>::new("about");
    writing
        .open_table(about)
        .unwrap()
        .insert("format", format)
        .unwrap();
    writing.commit().unwrap();
}

#[test]
fn a_file_of_format_1_is_read_and_written_on_as_one_of_today() {
    let scratch = Scratch::new("older");
    let events = transitions(1, 300);
    let (mut writer, reader, _) = open(&scratch.file());
    writer.take(Job::Events(range(&events)));
    assert!(writer.write(NOW, true));
    drop((writer, reader));
    // As format 1 had it: boards by number alone.
    let database = redb::Database::open(scratch.file()).unwrap();
    let writing = database.begin_write().unwrap();
    writing.delete_table(BOARDS).unwrap();
    for seq in [0, 200] {
        let board = Keyframe::of(&fold(&events[..seq]), seq as u64, UnixMs(NOW.0 + seq as u64 * 10)).unwrap();
        let mut boards = writing.open_table(BOARDS_1).unwrap();
        boards
            .insert(board.seq(), (board.seen().0, board.bytes()))
            .unwrap();
    }
    writing.commit().unwrap();
    drop(database);
    set_format(&scratch.file(), 1);
    let (mut writer, reader, last) = open(&scratch.file());
    assert_eq!(last.unwrap().seq, 300);
    for at in [0, 199, 200, 250, 300] {
        let past = reader.past(UnixMs(NOW.0 + at as u64 * 10)).unwrap().unwrap();
        assert_eq!((past.seq, past.board), (at as u64, fold(&events[..at])));
    }
    writer.take(Job::Events(range(&transitions(301, 310))));
    assert!(writer.write(NOW, false));
    assert_eq!(all(&reader), transitions(1, 310));
}
