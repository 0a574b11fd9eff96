//! CPU time of the calling thread.

use rustix::time::{ClockId, clock_gettime};

/// Seconds of CPU that this thread has used so far.
#[must_use]
pub fn thread_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
