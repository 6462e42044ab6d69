//! JSON of every kind goes both ways.
