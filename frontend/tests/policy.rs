//! What the page promises beside its looks: the policy it runs under, and inks that can be read.

#![expect(clippy::expect_used, reason = "a test that cannot read its files has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<(PathBuf, String)> = fs::read_dir(&folder)
        .expect("folder")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| (path.clone(), fs::read_to_string(&path).expect("UTF-8")))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no .{extension} in {}", folder.display());
    found
}

/// The policy of docs/contract.md blocks `style=`, inline scripts and handlers; a snapshot that has one would be broken.
#[test]
fn no_view_writes_what_the_policy_blocks() {
    let pages = files("tests/snapshots", "html")
        .into_iter()
        .chain(files("static", "html"));
    for (path, text) in pages {
        for tag in text.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
            let attributes = without_values(tag);
            for blocked in [" style=", " onclick=", " onload=", " onerror=", "javascript:"] {
                assert!(!attributes.contains(blocked), "{}: <{tag}>", path.display());
            }
            let inline = tag.starts_with("script") && !tag.contains(" src=");
            assert!(
                !inline && !tag.starts_with("style"),
                "{}: <{tag}>",
                path.display()
            );
        }
    }
}

/// A tag with its quoted values emptied: ids of strangers may say anything.
fn without_values(tag: &str) -> String {
    tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    for (path, text) in files("static", "html")
        .into_iter()
        .chain(files("static", "css"))
        .chain(files("static", "js"))
    {
        for far in ["http:", "https:", "//fonts", "@import", "url("] {
            assert!(!text.contains(far), "{} has {far}", path.display());
        }
    }
}

/// `--name: light-dark(#light, #dark);` of the token sheet, as (light, dark).
fn tokens() -> BTreeMap<String, [[u8; 3]; 2]> {
    let (_, sheet) = &files("static", "css")[0];
    let pairs = sheet.lines().filter_map(|line| {
        let (name, value) = line.trim().strip_prefix("--")?.split_once(": light-dark(")?;
        let (light, dark) = value.strip_suffix(");")?.split_once(", ")?;
        Some((name.to_owned(), [colour(light), colour(dark)]))
    });
    pairs.collect()
}

fn colour(hex: &str) -> [u8; 3] {
    let number = u32::from_str_radix(&hex[1..], 16).expect("#rrggbb");
    let [_, red, green, blue] = number.to_be_bytes();
    [red, green, blue]
}

/// Relative luminance (WCAG 2.2).
fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    });
    0.0722f64.mul_add(blue, 0.2126f64.mul_add(red, 0.7152 * green))
}

fn contrast(ink: [u8; 3], ground: [u8; 3]) -> f64 {
    let (ink, ground) = (luminance(ink), luminance(ground));
    (ink.max(ground) + 0.05) / (ink.min(ground) + 0.05)
}

#[test]
fn every_ink_can_be_read_on_every_ground_it_stands_on() {
    let tokens = tokens();
    let mut poor = Vec::new();
    for ink in [
        "ink", "ink-2", "ink-3", "ok", "late", "bad", "move", "dim", "accent",
    ] {
        let own = format!("{ink}-soft");
        let grounds = ["bg", "panel", "sunken"]
            .into_iter()
            .chain(tokens.contains_key(&own).then_some(own.as_str()));
        for ground in grounds {
            for (ink_colour, ground_colour) in tokens[ink].into_iter().zip(tokens[ground]) {
                let ratio = contrast(ink_colour, ground_colour);
                if ratio < 4.5 {
                    poor.push(format!("{ink} on {ground}: {ratio:.2}"));
                }
            }
        }
    }
    assert!(poor.is_empty(), "below AA: {poor:?}");
}

/// The edge of a field is what tells it apart from its ground (WCAG 1.4.11: 3 to 1).
#[test]
fn the_edge_of_a_field_can_be_seen() {
    let tokens = tokens();
    for (edge, ground) in tokens["field"].into_iter().zip(tokens["panel"]) {
        assert!(contrast(edge, ground) >= 3.0);
    }
}
