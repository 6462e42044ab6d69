//! Tests of classic groups.
