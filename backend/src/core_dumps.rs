//! No core dumps: the memory of this process may hold passwords, and a dump would carry them to a disk or a crash collector.

/// Switches core dumps off for this process, and whether that succeeded.
///
/// A limit of 0 is enough where dumps go to a file; a collector behind a pipe (`|` in the kernel's `core_pattern`) does not
/// heed the limit, but is not called for a process that is not dumpable.
#[cfg(target_os = "linux")]
#[must_use]
pub fn switch_off() -> bool {
    use nix::sys::prctl::set_dumpable;
    use nix::sys::resource::{Resource, setrlimit};

    let no_file = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    no_file.and(set_dumpable(false)).is_ok()
}

/// Other systems are not told.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub const fn switch_off() -> bool {
    false
}
