//! Query strings: each parameter known, within its bounds, and named where it is not.

use std::str::FromStr;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;

use super::error::{ApiError, quoted};
use crate::limits;

/// The parameters of a request, in the order they were given.
#[derive(Debug)]
pub(super) struct Parameters(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let Query(pairs) = query.map_err(|why| ApiError::bad_request(why.body_text()))?;
        Ok(Self(pairs))
    }
}

impl Parameters {
    /// Refuses a parameter that is not one of these.
    pub(super) fn only(self, known: &[&str]) -> Result<Self, ApiError> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            Some((name, _)) => Err(ApiError::bad_request(format!(
                "unknown parameter {}; known here: {}",
                quoted(name),
                if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                }
            ))),
            None => Ok(self),
        }
    }

    /// A parameter's one value.
    pub(super) fn one(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let values = self.many(name)?;
        match values[..] {
            [] => Ok(None),
            [value] => Ok(Some(value)),
            _ => Err(ApiError::bad_request(format!(
                "{name} is given {} times; once is allowed",
                values.len()
            ))),
        }
    }

    /// A parameter's one value, read.
    pub(super) fn read<T: FromStr>(&self, name: &str, allowed: &str) -> Result<Option<T>, ApiError> {
        let Some(value) = self.one(name)? else {
            return Ok(None);
        };
        match value.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(ApiError::bad_request(format!(
                "{name}={}: {allowed} is allowed",
                quoted(value)
            ))),
        }
    }

    /// How many rows are asked for: `limit`, from 1 to `most`.
    pub(super) fn limit(&self, default: usize, most: usize) -> Result<usize, ApiError> {
        let allowed = format!("a whole number from 1 to {most}");
        match self.read::<usize>("limit", &allowed)? {
            None => Ok(default),
            Some(limit) if (1..=most).contains(&limit) => Ok(limit),
            Some(limit) => Err(ApiError::bad_request(format!(
                "limit={limit}: {allowed} is allowed"
            ))),
        }
    }

    /// All values of a parameter that may repeat.
    pub(super) fn many(&self, name: &str) -> Result<Vec<&str>, ApiError> {
        let values: Vec<&str> = self
            .0
            .iter()
            .filter(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
            .collect();
        if values.len() > limits::FILTER_VALUES {
            return Err(ApiError::bad_request(format!(
                "{name} is given {} times; at most {} are allowed",
                values.len(),
                limits::FILTER_VALUES
            )));
        }
        Ok(values)
    }
}
