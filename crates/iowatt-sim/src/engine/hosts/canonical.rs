//! Host requests in flight as words.

use super::{HostRequest, Hosts};
use crate::canonical::Canon;

impl Hosts<'_> {
    /// Writes a request in flight.
    pub fn canonical_request(&self, key: u32, out: &mut Canon) {
        let HostRequest { arrived, parts_left, workload, size, stream, write, trim } = *self.requests.at(key);
        out.word(arrived);
        [parts_left, workload, size, stream].into_iter().for_each(|value| out.small(value));
        out.small(u8::from(write) | u8::from(trim) << 1);
    }

    /// Requests in flight.
    pub fn in_flight(&self) -> usize {
        self.requests.len()
    }

    /// Each workload has issued so many requests, as where a simulation begins in the middle of a run.
    pub fn count_issued_from(&mut self, issued: &[u64]) {
        self.workloads.iter_mut().zip(issued).for_each(|(workload, &count)| workload.issued = count);
    }
}
