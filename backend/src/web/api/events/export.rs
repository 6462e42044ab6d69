//! Events as a file: JSON lines, or CSV for a spreadsheet.
//!
//! Ids and words come from strangers, and a spreadsheet runs what begins like a formula: such a cell is told as text.

use std::sync::Arc;

use serde_json::Value;

use crate::hub::Numbered;

/// The columns of the CSV; `change` is what the event carries, as JSON.
const COLUMNS: &str = "seq,seen_ms,at_ms,at_earliest_ms,source,evidence,cluster,group,member,kind,change\r\n";

/// What events are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One object with a list.
    Json,
    /// An event a line.
    Lines,
    Csv,
}

impl Format {
    /// The format of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "jsonl" => Some(Self::Lines),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }

    /// Its media type, and the name of the file it is saved as.
    pub(super) const fn file(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Json => None,
            Self::Lines => Some((
                "application/x-ndjson",
                r#"attachment; filename="heartline-events.jsonl""#,
            )),
            Self::Csv => Some((
                "text/csv; charset=utf-8",
                r#"attachment; filename="heartline-events.csv""#,
            )),
        }
    }
}

/// One event's JSON a line.
pub(super) fn lines(events: &[Arc<Numbered>]) -> String {
    events.iter().flat_map(|event| [event.json(), "\n"]).collect()
}

/// A line a row, as RFC 4180 has it.
pub(super) fn csv(events: &[Arc<Numbered>]) -> serde_json::Result<String> {
    let mut text = COLUMNS.to_owned();
    for event in events {
        let row: Value = serde_json::from_str(event.json())?;
        let kind = &row["change"]["kind"];
        let told = [
            "seq",
            "seen",
            "at",
            "at_earliest",
            "source",
            "evidence",
            "cluster",
            "group",
            "member",
        ];
        let cells = told
            .iter()
            .map(|name| &row[*name])
            .chain([kind, &row["change"]])
            .map(|value| cell(&words(value)));
        text.push_str(&cells.collect::<Vec<_>>().join(","));
        text.push_str("\r\n");
    }
    Ok(text)
}

/// A text as it is, nothing as nothing, anything else as JSON.
fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A cell. One that a spreadsheet would take for a formula begins with an apostrophe, within quotes.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if !formula && !text.contains(['"', ',', '\n', '\r']) {
        return text.to_owned();
    }
    let apostrophe = if formula { "'" } else { "" };
    format!("\"{apostrophe}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_told_as_text() {
        for (text, told) in [
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
        ] {
            assert_eq!(cell(text), told, "{text:?}");
        }
    }

    #[test]
    fn a_cell_is_quoted_where_it_must_be() {
        for (text, told) in [
            ("orders-1", "orders-1"),
            ("", ""),
            ("a=b", "a=b"),
            ("a,b", "\"a,b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(cell(text), told, "{text:?}");
        }
    }
}
