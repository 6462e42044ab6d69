//! What the browser's main thread did, frame by frame, by its own trace events.

use std::collections::BTreeMap;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::Page;

/// What is recorded: the main thread's tasks by kind, and what became of each frame.
const CATEGORIES: &str =
    "devtools.timeline,disabled-by-default-devtools.timeline.frame,devtools.timeline.frame,v8";

/// The kinds of tasks in which a page's script runs. They lie in each other.
const SCRIPT: [&str; 8] = [
    "EvaluateScript",
    "EventDispatch",
    "FireAnimationFrame",
    "FireIdleCallback",
    "FunctionCall",
    "RunMicrotasks",
    "TimerFire",
    "v8.callFunction",
];
/// Where the main thread begins a frame.
const FRAME: &str = "BeginMainThreadFrame";
/// A frame that was due and never shown.
const DROPPED: &str = "DroppedFrame";

/// A trace that is being recorded.
#[derive(Debug)]
pub struct Trace {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// Microseconds in which script ran, of each frame of the main thread, sorted.
    pub script_us: Vec<u64>,
    /// Frames that were due and never shown.
    pub dropped: usize,
}

/// One trace event, as far as it is read.
#[derive(Debug, Deserialize)]
struct Entry {
    name: String,
    /// `X`: whole, with a length; others are moments.
    ph: String,
    pid: u64,
    tid: u64,
    ts: u64,
    #[serde(default)]
    dur: u64,
}

impl Trace {
    /// Begins to record what the browser does for `page`.
    ///
    /// # Panics
    ///
    /// When the browser does not let itself be traced.
    pub async fn start(page: &Page) -> Self {
        let list = format!("http://{}/json/list", page.debugger);
        let answer = reqwest::get(list).await.expect("the debugger answers");
        let targets: Value = answer.json().await.expect("it answers JSON");
        let page = targets
            .as_array()
            .into_iter()
            .flatten()
            .find(|target| target["type"] == "page");
        let address = page.and_then(|page| page["webSocketDebuggerUrl"].as_str());
        let (socket, _) = connect_async(address.expect("the page is a target"))
            .await
            .expect("the debugger takes us");
        let mut trace = Self { socket };
        trace
            .ask(
                1,
                "Tracing.start",
                json!({"traceConfig": {"includedCategories": CATEGORIES.split(',').collect::<Vec<_>>()}, "transferMode": "ReportEvents"}),
            )
            .await;
        while trace.next().await["id"] != 1 {}
        trace
    }

    /// Ends it.
    ///
    /// # Panics
    ///
    /// When the browser is gone.
    pub async fn end(mut self) -> Frames {
        self.ask(2, "Tracing.end", json!({})).await;
        let mut entries = Vec::new();
        loop {
            let mut said = self.next().await;
            match said["method"].as_str() {
                Some("Tracing.dataCollected") => {
                    let Value::Array(some) = said["params"]["value"].take() else {
                        continue;
                    };
                    entries.extend(
                        some.into_iter()
                            .filter_map(|entry| serde_json::from_value(entry).ok()),
                    );
                }
                Some("Tracing.tracingComplete") => return frames(&entries),
                _ => {}
            }
        }
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) {
        let text = json!({"id": id, "method": method, "params": params}).to_string();
        let sent = self.socket.send(Message::text(text)).await;
        sent.expect("the debugger listens");
    }

    async fn next(&mut self) -> Value {
        loop {
            let frame = self.socket.next().await.expect("the debugger is there");
            if let Message::Text(text) = frame.expect("the debugger is there") {
                return serde_json::from_str(&text).expect("the debugger speaks JSON");
            }
        }
    }
}

/// Of the thread that begins the most frames: that of the page.
fn frames(entries: &[Entry]) -> Frames {
    let mut begun: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.name == FRAME) {
        begun.entry((entry.pid, entry.tid)).or_default().push(entry.ts);
    }
    let Some((thread, mut begun)) = begun.into_iter().max_by_key(|(_, begun)| begun.len()) else {
        return Frames::default();
    };
    begun.sort_unstable();
    let on_it = |entry: &&Entry| (entry.pid, entry.tid) == thread && entry.ph == "X";
    let script = entries
        .iter()
        .filter(on_it)
        .filter(|entry| SCRIPT.contains(&entry.name.as_str()));
    let mut script: Vec<(u64, u64)> = script.map(|entry| (entry.ts, entry.ts + entry.dur)).collect();
    script.sort_unstable();
    let mut script_us = vec![0; begun.len()];
    let mut done = 0;
    for (from, to) in script {
        // What lies in another is part of it.
        let alone = to.saturating_sub(from.max(done));
        done = done.max(to);
        // What runs before the first frame was not asked for.
        let frame = begun.partition_point(|begun| *begun <= from);
        if let Some(sum) = frame.checked_sub(1).and_then(|frame| script_us.get_mut(frame)) {
            *sum += alone;
        }
    }
    script_us.sort_unstable();
    let dropped = entries.iter().filter(|entry| entry.name == DROPPED).count();
    Frames { script_us, dropped }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, tid: u64, ts: u64, dur: u64) -> Entry {
        Entry {
            name: name.to_owned(),
            ph: "X".to_owned(),
            pid: 1,
            tid,
            ts,
            dur,
        }
    }

    #[test]
    fn script_counts_once_and_to_the_frame_in_which_it_began() {
        let recorded = [
            entry("FunctionCall", 1, 5, 9),
            entry(FRAME, 1, 20, 0),
            entry("FireAnimationFrame", 1, 21, 10),
            entry("FunctionCall", 1, 22, 5),
            entry("RunMicrotasks", 1, 33, 2),
            entry("EventDispatch", 2, 34, 90),
            entry(FRAME, 1, 40, 0),
            entry("Layout", 1, 41, 8),
            entry(DROPPED, 3, 45, 0),
            entry(FRAME, 2, 50, 0),
        ];
        let seen = Frames {
            script_us: vec![0, 12],
            dropped: 1,
        };
        assert_eq!(frames(&recorded), seen);
    }
}
