//! Child processes: their output line by line, signals by pid, and no orphans, however the test ends.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::wait::wait_until;

/// Lines of output kept of one child; the newest win.
const LINES_KEPT: usize = 100_000;

/// Lines shown of a child when a test fails.
const LINES_SHOWN: usize = 60;

/// A running child.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    /// Where it is told what to do; none for a child that listens to nobody.
    ears: Option<ChildStdin>,
    leash: Leash,
    output: Arc<Output>,
}

/// What a child has written so far, standard output and error together.
#[derive(Debug, Default)]
pub struct Output {
    lines: Mutex<Vec<String>>,
    /// Streams not read to their end yet.
    open: AtomicUsize,
}

impl Process {
    /// Starts the command with its output taken in. `name` is for messages.
    ///
    /// # Panics
    ///
    /// When it cannot be started.
    #[must_use]
    pub fn spawn(name: &str, command: &mut Command) -> Self {
        Self::start(name, command.stdin(Stdio::null()))
    }

    /// Starts one that reads lines, see [`Self::tell`].
    ///
    /// # Panics
    ///
    /// When it cannot be started.
    #[must_use]
    pub fn spawn_listening(name: &str, command: &mut Command) -> Self {
        Self::start(name, command.stdin(Stdio::piped()))
    }

    fn start(name: &str, command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "could not start {name} ({}): {error}",
                    command.get_program().display()
                )
            });
        let leash = Leash::new("kill -KILL \"$0\" 2>/dev/null", &child.id().to_string());
        let output = Arc::new(Output::default());
        if let Some(stdout) = child.stdout.take() {
            output.take_in(stdout);
        }
        if let Some(stderr) = child.stderr.take() {
            output.take_in(stderr);
        }
        let ears = child.stdin.take();
        Self {
            name: name.to_owned(),
            child,
            ears,
            leash,
            output,
        }
    }

    /// What it has written.
    #[must_use]
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The first line of its output that `find` takes.
    ///
    /// # Panics
    ///
    /// When it ends first, or does not write it in time.
    pub async fn line<T>(&mut self, what: &str, find: impl Fn(&str) -> Option<T>) -> T {
        let wanted = format!("{what} of {}", self.name);
        let found = wait_until(&wanted, async || {
            let ended = self.has_ended();
            match (self.output.find(&find), ended) {
                (Some(found), _) => Ok(Ok(found)),
                (None, Some(status)) => Ok(Err(status)),
                (None, None) => Err(self.output.last(1)),
            }
        })
        .await;
        found.unwrap_or_else(|status| {
            panic!(
                "{} ended ({status}) before {what}:\n{}",
                self.name,
                self.output.last(LINES_SHOWN)
            )
        })
    }

    /// Waits until it has written what `is_it` takes, and has written it once.
    ///
    /// # Panics
    ///
    /// When it ends first, does not write it in time, or has written it more than once by then.
    pub async fn says_once(&mut self, what: &str, is_it: impl Fn(&str) -> bool) {
        let take = |line: &str| is_it(line).then(|| line.to_owned());
        self.line(what, take).await;
        let said = self.output.collect(take);
        assert_eq!(said.len(), 1, "{what} of {}: {said:?}", self.name);
    }

    /// Writes a line to its standard input.
    ///
    /// # Errors
    ///
    /// It has ended.
    ///
    /// # Panics
    ///
    /// When it was not started listening.
    pub fn tell(&mut self, line: &str) -> io::Result<()> {
        let ears = self.ears.as_mut().expect("it was started listening");
        writeln!(ears, "{line}")
    }

    /// Its status, once it has ended and all it wrote was taken in.
    pub fn has_said_all(&mut self) -> Option<ExitStatus> {
        let status = self.has_ended()?;
        (self.output.open.load(Ordering::Acquire) == 0).then_some(status)
    }

    /// Its status, once it has ended; what it wrote last may still be under way.
    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Sends a signal by its name, `TERM` or `INT`.
    ///
    /// # Panics
    ///
    /// When it cannot be sent.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("sh")
            .args(["-c", "kill -s \"$0\" \"$1\"", name, &self.pid().to_string()])
            .status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "could not send SIG{name} to {}",
            self.name
        );
    }

    /// SIGKILL: it ends at once and says nothing to anybody.
    pub fn kill(&mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }

    /// Waits for its end.
    pub async fn ended(&mut self) -> ExitStatus {
        let name = self.name.clone();
        wait_until(&format!("the end of {name}"), async || {
            self.has_ended().ok_or("it runs")
        })
        .await
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // First the leash: after the child is reaped its pid may belong to somebody else.
        self.leash.let_go();
        self.kill();
        if thread::panicking() {
            eprintln!(
                "--- last lines of {}:\n{}",
                self.name,
                self.output.last(LINES_SHOWN)
            );
        }
    }
}

impl Output {
    /// Reads a stream to its end on a thread of its own: a test's runtime may end before a shared child does.
    fn take_in(self: &Arc<Self>, stream: impl Read + Send + 'static) {
        let output = Arc::clone(self);
        output.open.fetch_add(1, Ordering::AcqRel);
        thread::spawn(move || {
            for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                let mut lines = output.lines.lock().unwrap_or_else(PoisonError::into_inner);
                if lines.len() == LINES_KEPT {
                    lines.drain(..LINES_KEPT / 2);
                }
                lines.push(String::from_utf8_lossy(&line).into_owned());
            }
            output.open.fetch_sub(1, Ordering::AcqRel);
        });
    }

    /// What `find` gives for the first line it takes.
    pub fn find<T>(&self, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find_map(|line| find(line))
    }

    /// What `pick` gives for each line it takes, in order.
    pub fn collect<T>(&self, pick: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().filter_map(|line| pick(line)).collect()
    }

    /// The newest lines.
    #[must_use]
    pub fn last(&self, count: usize) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines[lines.len().saturating_sub(count)..].join("\n")
    }
}

/// A shell that waits for this process's end, however it comes, and then runs one line.
#[derive(Debug)]
pub struct Leash(Child);

impl Leash {
    /// `$0` of the line is `subject`.
    pub(crate) fn new(line: &str, subject: &str) -> Self {
        let shell = Command::new("sh")
            // Its standard input ends when we do: nobody else holds the other end.
            .args(["-c", &format!("cat >/dev/null; {line}"), subject])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(shell.expect("a shell can be started"))
    }

    /// The line is not run any more.
    pub(crate) fn let_go(&mut self) {
        let _already_gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.let_go();
    }
}
