//! Facts about the machine and the process.

/// Milliseconds since 1970.
pub(super) fn now_millis() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

/// The machine's name, or `localhost` where the system does not tell.
pub(super) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "localhost".to_owned(),
        name => name.to_owned(),
    }
}

/// Memory of this process and of the machine, in KB; 0 where the system does not tell.
pub(super) fn memory_kb() -> (u64, u64) {
    let field = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    };
    (field("/proc/self/status", "VmRSS:"), field("/proc/meminfo", "MemTotal:"))
}
