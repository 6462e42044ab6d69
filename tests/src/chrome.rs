//! Headless Chromium, driven by its chromedriver: the page as a user has it, and what the browser complains of.
//!
//! Chromium is our own child rather than chromedriver's, so that it is gone when the test is.
//!
//! - `trace`: what the browser did in each frame, by its own records

pub mod trace;

use std::collections::BTreeMap;
use std::env;
use std::process::Command;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use thirtyfour::cdp::Cdp;
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::error::WebDriverError;
use thirtyfour::session::handle::SessionHandle;
use thirtyfour::{By, ChromeCapabilities, LoggingPrefsLogLevel, WebDriver};

use crate::folder::TempFolder;
use crate::port;
use crate::process::Process;
use crate::skip::skip_or_fail;
use crate::wait::wait_until;

/// Quiet and alone: nothing is fetched that the page does not ask for.
const FLAGS: [&str; 13] = [
    "--headless",
    "--log-level=3",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--window-size=1280,900",
];

/// Runs before the page's own scripts: keeps what the browser refuses the page by its policy, and whether a click arrived at what it
/// was aimed at.
const WATCH: &str = r"
    window.refused = [];
    document.addEventListener('click', (event) => {
        if (window.aimed && event.target.closest(window.aimed)) window.aimed = null;
    }, {capture: true});
    document.addEventListener('securitypolicyviolation', (event) =>
        window.refused.push(`${event.violatedDirective} refused ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`));
";

/// The rows of a test id: their data attributes and their text.
const ROWS: &str = r"
    return [...document.querySelectorAll(`[data-testid='${arguments[0]}']`)].map((row) => ({
        data: Object.fromEntries([...row.attributes].filter((a) => a.name.startsWith('data-')).map((a) => [a.name, a.value])),
        text: row.innerText,
    }));
";

/// Light or dark, as the system says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

/// An element that docs/contract.md names.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    data: BTreeMap<String, String>,
    /// What a user reads in it.
    pub text: String,
}

impl Row {
    /// The value of `data-NAME`, or the empty string.
    #[must_use]
    pub fn data(&self, name: &str) -> &str {
        self.data.get(&format!("data-{name}")).map_or("", String::as_str)
    }
}

/// A browser window with the page open.
#[derive(Debug)]
pub struct Page {
    session: Arc<SessionHandle>,
    /// `host:port` of the browser's debugger.
    debugger: String,
    _chromedriver: Process,
    chromium: Process,
    _profile: TempFolder,
}

/// Whether Chromium can be run here; where not, it says why, or fails in CI.
#[must_use]
pub fn is_installed() -> bool {
    let on_path = |name: &str| {
        env::var_os("PATH")
            .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(name).is_file()))
    };
    let installed = on_path("chromium") && on_path("chromedriver");
    if !installed {
        skip_or_fail("chromium or chromedriver is missing: cargo xtask test browser");
    }
    installed
}

impl Page {
    /// Starts a browser of its own and opens the page at `address`: `host:port`, and what the address is to hold.
    ///
    /// # Panics
    ///
    /// When the browser does not come up or the page does not load.
    pub async fn open(address: &str) -> Self {
        let profile = TempFolder::new("chromium");
        let data = format!("--user-data-dir={}", profile.path().display());
        let mut chromium = Process::spawn(
            "chromium",
            Command::new("chromium").args(FLAGS).arg(data).arg("about:blank"),
        );
        let listening = |line: &str| {
            Some(
                line.strip_prefix("DevTools listening on ws://")?
                    .split('/')
                    .next()?
                    .to_owned(),
            )
        };
        let debugger = chromium.line("its debugger's address", listening).await;
        let mut chromedriver = Process::spawn(
            "chromedriver",
            Command::new("chromedriver").arg(format!("--port={}", port::free())),
        );
        let started = |line: &str| {
            let (_, port) = line.split_once("started successfully on port ")?;
            Some(format!("http://127.0.0.1:{}", port.trim_end_matches('.')))
        };
        let server = chromedriver.line("its port", started).await;
        let mut wanted = ChromeCapabilities::new();
        wanted
            .set_debugger_address(&debugger)
            .expect("an address is JSON");
        wanted
            .set_logging_prefs("browser", LoggingPrefsLogLevel::All)
            .expect("a level is JSON");
        let driver = WebDriver::new(&server, wanted)
            .await
            .expect("chromedriver attaches to chromium");
        let session = Arc::clone(driver.handle());
        // Both processes are ours to end; closing the session first would wait for an answer on a runtime that may be gone.
        driver.leak().expect("a new session is open");
        let page = Self {
            session,
            debugger,
            _chromedriver: chromedriver,
            chromium,
            _profile: profile,
        };
        page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH}))
            .await;
        page.session
            .goto(&format!("http://{address}"))
            .await
            .expect("the page loads");
        page
    }

    /// The WebDriver session, for what this type does not offer.
    #[must_use]
    pub fn session(&self) -> &SessionHandle {
        &self.session
    }

    /// The browser's own process, whose children draw the page.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.chromium.pid()
    }

    /// The elements of a test id, in the page's order.
    ///
    /// # Panics
    ///
    /// When the browser is gone.
    pub async fn rows(&self, testid: &str) -> Vec<Row> {
        let rows = self
            .session
            .execute(ROWS, vec![json!(testid)])
            .await
            .expect("the script runs");
        rows.convert().expect("rows are objects")
    }

    /// Waits until `pick` takes the elements of a test id; `what` completes "waited for ...".
    pub async fn wait_for<T>(&self, what: &str, testid: &str, pick: impl Fn(&[Row]) -> Option<T>) -> T {
        wait_until(what, async || {
            let rows = self.rows(testid).await;
            pick(&rows).ok_or(rows)
        })
        .await
    }

    /// Clicks on what a CSS selector finds, once it can be clicked. The page is live: a click is repeated that fell beside
    /// since what it was aimed at moved on under it.
    pub async fn click(&self, selector: &str) {
        const AIM: &str = "window.aimed = arguments[0]";
        wait_until(&format!("a click on {selector}"), async || {
            let said = |error: WebDriverError| error.to_string();
            self.session
                .execute(AIM, vec![json!(selector)])
                .await
                .map_err(said)?;
            let found = self.session.find(By::Css(selector)).await.map_err(said)?;
            found.click().await.map_err(said)?;
            // A page that was left for another is not aimed at any more.
            let fell_beside = self.script("return Boolean(window.aimed)").await;
            (fell_beside == json!(false))
                .then_some(())
                .ok_or_else(|| "it fell beside".to_owned())
        })
        .await;
    }

    /// Chooses an option, and waits until the page has drawn what follows from it.
    pub async fn choose(&self, option: &str) {
        wait_until(&format!("the option {option}"), async || {
            let said = |error: WebDriverError| error.to_string();
            let found = self.session.find(By::Css(option)).await.map_err(said)?;
            found.click().await.map_err(said)?;
            let is_chosen = found.is_selected().await.map_err(said)?;
            is_chosen
                .then_some(())
                .ok_or_else(|| "it is not chosen".to_owned())
        })
        .await;
        self.is_drawn().await;
    }

    /// Waits until the page has drawn what was done to it: it draws once a frame, and a button does what it said in the last one.
    pub async fn is_drawn(&self) {
        let frames = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
        self.script(frames).await;
    }

    /// Moves the mouse to a point of what a CSS selector finds: its share of the width, and pixels from the top.
    ///
    /// # Panics
    ///
    /// When there is no such thing, or the point is outside the window.
    pub async fn point(&self, selector: &str, across: f64, from_top: i64) {
        let found = self.session.find(By::Css(selector)).await;
        let found = found.unwrap_or_else(|error| panic!("{selector}: {error}"));
        let rect = found.rect().await.expect("it has a place");
        // WebDriver counts from the middle.
        let (x, y) = ((across - 0.5) * rect.width, from_top - (rect.height / 2.0) as i64);
        let moved = self
            .session
            .action_chain()
            .move_to_element_with_offset(&found, x as i64, y);
        moved
            .perform()
            .await
            .unwrap_or_else(|error| panic!("{selector}: {error}"));
        self.is_drawn().await;
    }

    /// Presses a key of the keyboard, wherever the focus is: a character, or WebDriver's code of a key.
    ///
    /// # Panics
    ///
    /// When the browser is gone.
    pub async fn press(&self, key: &str) {
        let keys = self.session.action_chain().send_keys(key).perform().await;
        keys.unwrap_or_else(|error| panic!("key {key:?}: {error}"));
    }

    /// Runs a function body in the page.
    ///
    /// # Panics
    ///
    /// When it throws.
    pub async fn script(&self, body: &str) -> Value {
        let returned = self.session.execute(body, Vec::new()).await;
        returned
            .unwrap_or_else(|error| panic!("{body}: {error}"))
            .json()
            .clone()
    }

    /// Sets the window's size, in CSS pixels, and what the system's theme is.
    pub async fn emulate(&self, width: u32, height: u32, theme: Theme) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
        let value = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.devtools("Emulation.setEmulatedMedia", media).await;
    }

    /// What is in the window now, as PNG.
    ///
    /// # Panics
    ///
    /// When the browser is gone.
    pub async fn screenshot(&self) -> Vec<u8> {
        self.session
            .screenshot_as_png()
            .await
            .expect("the window can be drawn")
    }

    /// What must not be: things refused by the page's policy, and errors in the console but the browser's own lines about
    /// a server that is down. Each call gives the console's lines since the last.
    ///
    /// # Panics
    ///
    /// When the browser is gone.
    pub async fn complaints(&self) -> Vec<String> {
        let refused = self.script("return window.refused").await;
        let refused: Vec<String> = serde_json::from_value(refused).expect("they are strings");
        let console = self.session.browser_log().await.expect("the console is kept");
        let errors = console
            .into_iter()
            .filter(|entry| entry.level == "SEVERE" || entry.level == "WARNING");
        let own = errors
            .map(|entry| entry.message)
            .filter(|message| !is_about_a_server_down(message));
        refused.into_iter().chain(own).collect()
    }

    /// Asks the browser's debugger, for what WebDriver has no words for.
    ///
    /// # Panics
    ///
    /// When the browser is gone or does not know it.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Value {
        let answer = Cdp::new(Arc::clone(&self.session))
            .send_raw(method, parameters)
            .await;
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }
}

/// The browser's own lines, which no page can prevent: a connection that could not be made or broke.
fn is_about_a_server_down(message: &str) -> bool {
    const CAUSES: [&str; 5] = [
        "net::ERR_CONNECTION_REFUSED",
        "net::ERR_CONNECTION_RESET",
        "net::ERR_CONNECTION_CLOSED",
        "net::ERR_EMPTY_RESPONSE",
        "Connection closed before receiving a handshake response",
    ];
    CAUSES.iter().any(|cause| message.contains(cause))
}

#[cfg(test)]
mod tests {
    use super::is_about_a_server_down;

    #[test]
    fn only_lines_about_a_server_that_is_down_are_the_browsers_own() {
        let down = "http://127.0.0.1:1/ - WebSocket connection to 'ws://127.0.0.1:1/ws' failed: Error in connection \
                    establishment: net::ERR_CONNECTION_REFUSED";
        assert!(is_about_a_server_down(down));
        assert!(!is_about_a_server_down(
            "http://127.0.0.1:1/favicon.ico - Failed to load resource: 404 (Not Found)"
        ));
    }
}
