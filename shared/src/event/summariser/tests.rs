//! One summary a second.
