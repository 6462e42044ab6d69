//! How many sockets this process may have open: as many as the system lets it.

/// Raises this process's limit on open files to what it may raise it to, and gives it; none where the system does not say.
///
/// Shells hand out 1024 for the sake of programs that use `select`; a coordinator has a socket for each member.
#[cfg(target_os = "linux")]
pub fn raise() -> Option<u64> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    Some(if raised.is_ok() { hard } else { soft })
}

/// Nothing is known of the limits of other systems.
#[cfg(not(target_os = "linux"))]
pub fn raise() -> Option<u64> {
    None
}
