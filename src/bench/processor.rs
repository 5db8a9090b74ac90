//! Processor time of threads, as far as the system tells: who is the bottleneck?

use std::path::PathBuf;

/// Where a thread's times can be read, by any thread.
#[derive(Debug)]
pub(super) struct ThreadTimes(PathBuf);

/// What a thread has used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// On a processor.
    pub(super) cpu_ns: u64,
    /// Ready to run, but waiting for a processor.
    pub(super) wait_ns: u64,
}

impl ThreadTimes {
    /// Those of the calling thread; none where the system does not say.
    pub(super) fn own() -> Option<ThreadTimes> {
        let thread = std::fs::read_link("/proc/thread-self").ok()?;
        let path = std::path::Path::new("/proc").join(thread).join("schedstat");
        path.is_file().then_some(ThreadTimes(path))
    }

    /// None once the thread has ended.
    pub(super) fn read(&self) -> Option<Used> {
        parse(&std::fs::read_to_string(&self.0).ok()?)
    }
}

fn parse(text: &str) -> Option<Used> {
    let mut fields = text.split_ascii_whitespace().map(str::parse::<u64>);
    let mut next = || fields.next()?.ok();
    Some(Used { cpu_ns: next()?, wait_ns: next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_fields_are_running_and_waiting() {
        assert_eq!(parse("123 45 6\n"), Some(Used { cpu_ns: 123, wait_ns: 45 }));
        assert_eq!((parse(""), parse("x y")), (None, None));
    }

    #[test]
    fn a_thread_that_works_uses_its_processor() {
        let Some(own) = ThreadTimes::own() else { return };
        let before = own.read().unwrap();
        let mut x = 1u64;
        while own.read().unwrap().cpu_ns <= before.cpu_ns {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
    }
}
