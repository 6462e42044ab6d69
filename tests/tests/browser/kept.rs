//! What is kept on disk, as the page shows it: the time between two runs, and trouble with the folder.

use tests::chrome::Page;
use tests::folder::TempFolder;
use tests::heartline::Heartline;

use crate::{nothing_to_complain_of, on_time, ready};

fn path(folder: &TempFolder) -> &str {
    folder.path().to_str().expect("a path of ours is text")
}

#[tokio::test]
async fn the_time_between_two_runs_is_on_the_timeline_with_what_was_before() {
    if !ready() {
        return;
    }
    let folder = TempFolder::new("kept-gap");
    let mut heartline = Heartline::start(&["--data-dir", path(&folder)]).await;
    let page = Page::open(heartline.address()).await;
    let before = on_time(&page, 3).await;
    heartline.process().signal("TERM");
    assert_eq!(heartline.process().ended().await.code(), Some(0));
    heartline.start_again().await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    page.click("[data-testid=timeline-table-button]").await;
    let table = page
        .wait_for("the gap in the table", "timeline-table", |rows| {
            let text = &rows.first()?.text;
            text.contains("nothing is known of that time")
                .then(|| text.clone())
        })
        .await;
    assert!(table.contains("Heartline was not running "), "{table}");
    let came = format!("in the group as {}", before[0]);
    assert!(table.contains(&came), "{came}: {table}");
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn trouble_with_the_folder_is_said_above_all_views() {
    if !ready() {
        return;
    }
    let folder = TempFolder::new("kept-trouble");
    // A cluster that is not there: the history is kept all the same.
    let arguments = ["--bootstrap-servers", "127.0.0.1:1", "--data-dir", path(&folder)];
    let first = Heartline::start(&arguments).await;
    let second = Heartline::start(&arguments).await;
    for view in ["/", "/events", "/coordinators"] {
        let page = Page::open(&format!("{}{view}", second.address())).await;
        page.wait_for("what is wrong", "history-trouble", |rows| {
            let text = &rows.first()?.text;
            text.contains("is in use: another Heartline runs on this data directory")
                .then_some(())
        })
        .await;
        nothing_to_complain_of(&page).await;
    }
    let page = Page::open(first.address()).await;
    page.wait_for("it to be live", "link", |rows| {
        (rows.first()?.data("state") == "live").then_some(())
    })
    .await;
    assert!(page.rows("history-trouble").await.is_empty());
}
