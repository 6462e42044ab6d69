//! Which compressed forms a client takes (`Accept-Encoding`).

use axum::http::HeaderValue;

/// A compressed form, by the name it has in HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}

/// The forms a client takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) brotli: bool,
    pub(super) gzip: bool,
}

/// Reads `Accept-Encoding`: a form is taken when it is named, or meant by `*`, with a weight above 0.
pub(super) fn accepted<'a>(headers: impl IntoIterator<Item = &'a HeaderValue>) -> Accepted {
    let (mut brotli, mut gzip, mut others) = (None, None, false);
    for item in headers
        .into_iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|text| text.split(','))
    {
        let (name, weight) = item.split_once(';').unwrap_or((item, ""));
        let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
        let taken = weight.trim().parse::<f32>().is_ok_and(|weight| weight > 0.0);
        match name.trim().to_ascii_lowercase().as_str() {
            "br" => brotli = Some(taken),
            "gzip" | "x-gzip" => gzip = Some(taken),
            "*" => others = taken,
            _ => {}
        }
    }
    Accepted {
        brotli: brotli.unwrap_or(others),
        gzip: gzip.unwrap_or(others),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(header: &'static str) -> (bool, bool) {
        let accepted = accepted([&HeaderValue::from_static(header)]);
        (accepted.brotli, accepted.gzip)
    }

    #[test]
    fn a_form_is_taken_when_named_with_a_weight_above_0() {
        assert_eq!(of("gzip, deflate, br, zstd"), (true, true));
        assert_eq!(of("GZIP;q=0.5"), (false, true));
        assert_eq!(of("br;q=0, *"), (false, true));
        assert_eq!(of("gzip;q=nonsense"), (false, false));
        assert_eq!(of("identity"), (false, false));
        assert_eq!(accepted([]), Accepted::default());
    }
}
