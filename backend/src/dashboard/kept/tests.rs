//! What a history that cannot be used costs: a line, and nothing else.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

const NOW: UnixMs = UnixMs(1_764_417_600_000);

/// A folder that is gone with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heartline-history-{}-{name}", std::process::id()));
        let _none = fs::remove_dir_all(&path);
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join(FILE)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

/// One that is there, closed again.
fn written(scratch: &Scratch) {
    close(open_or_move(&scratch.0, Clock::starting_at(NOW)).unwrap());
}

fn close((keeping, writing): (Keeping, Writing)) {
    drop(keeping);
    writing.wait();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn address(server: &str) -> Address {
    let (host, port) = server.rsplit_once(':').unwrap();
    Address::new(host, port.parse().unwrap()).unwrap()
}

#[tokio::test]
async fn only_its_owner_may_enter_the_folder_and_read_the_file() {
    let scratch = Scratch::new("modes");
    written(&scratch);
    assert_eq!((mode(&scratch.0), mode(&scratch.file())), (0o700, 0o600));
}

#[tokio::test]
async fn a_damaged_file_is_moved_aside_and_a_new_one_begins() {
    let scratch = Scratch::new("damaged");
    fs::create_dir_all(&scratch.0).unwrap();
    let rubbish = vec![0x55; 10_000];
    fs::write(scratch.file(), &rubbish).unwrap();
    let (keeping, writing) = open_or_move(&scratch.0, Clock::starting_at(NOW)).unwrap();
    assert!(matches!(keeping, Keeping::Journal(_, None)));
    close((keeping, writing));
    assert_eq!(fs::read(scratch.0.join("history.aside")).unwrap(), rubbish);
}

#[tokio::test]
async fn a_second_process_on_the_folder_is_told_so_and_takes_nothing_away() {
    let scratch = Scratch::new("second");
    let first = open_or_move(&scratch.0, Clock::starting_at(NOW)).unwrap();
    let line = open_or_move(&scratch.0, Clock::starting_at(NOW)).unwrap_err();
    let line = line.to_string();
    assert!(
        line.ends_with("is in use: another Heartline runs on this data directory"),
        "{line}"
    );
    let refused = open(Some(scratch.0.clone()), Clock::starting_at(NOW))
        .await
        .unwrap();
    assert!(matches!(refused, (Keeping::Refused, None)));
    close(first);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named_with_the_reason() {
    let scratch = Scratch::new("folder");
    fs::write(&scratch.0, "not a folder").unwrap();
    let line = open_or_move(&scratch.0.join("inside"), Clock::starting_at(NOW)).unwrap_err();
    assert!(
        line.to_string().starts_with(&scratch.0.display().to_string()),
        "{line}"
    );
    fs::remove_file(&scratch.0).unwrap();
}

#[test]
fn the_same_servers_in_any_order_have_the_same_folder_and_a_long_list_has_a_short_name() {
    let [a, b] = ["Kafka-1:9092", "[::1]:19092"].map(address);
    let name = folder_name(&[a.clone(), b.clone()]);
    assert_eq!(name, folder_name(&[b, a.clone(), a]));
    assert!(
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.-_".contains(c)),
        "{name}"
    );
    let many = |last: u16| -> Vec<Address> {
        (9_000..last)
            .map(|port| address(&format!("broker.example:{port}")))
            .collect()
    };
    let (long, longer) = (folder_name(&many(9_050)), folder_name(&many(9_051)));
    assert!(long.len() < 200 && long != longer, "{long}, {longer}");
}
