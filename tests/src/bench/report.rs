//! How figures are printed: one line each, value, what was to be reached, and whether it was.

use std::fmt::Display;

/// Prints the title of a benchmark.
pub fn title(name: &str, what: &str) {
    println!("\n{name}: {what}");
}

/// Prints one figure.
pub fn figure(name: &str, value: impl Display) {
    println!("  {name:<44} {value}");
}

/// Prints a figure with what it was to reach and whether it did.
pub fn reach(name: &str, value: impl Display, wanted: &str, reached: bool) {
    println!(
        "  {name:<44} {value}  (to reach: {wanted}: {})",
        if reached { "reached" } else { "NOT reached" }
    );
}

/// The middle one; of an even count the upper.
///
/// # Panics
///
/// Never: an empty list gives NaN.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The value that `share` (0 to 1) of the sorted values do not exceed.
#[must_use]
pub fn quantile(sorted: &[u64], share: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let index = ((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1);
    sorted.get(index).copied()
}
