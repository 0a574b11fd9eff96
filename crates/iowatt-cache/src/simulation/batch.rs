//! Requests as references: numbers of keys, and what each is worth.

use super::directory::{Directory, Full};
use super::outcome::Pass;
use iowatt_trace::{Op, Request};

/// What a request without blocks is told apart by: objects begin at sectors as a rule.
const SECTOR: u64 = 512;

/// Some requests in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// References.
    pub(super) keys: Vec<u32>,
    /// Bytes of the request in each reference.
    pub(super) bytes: Vec<u32>,
    /// 1 where a reference writes.
    pub(super) writes: Vec<u8>,
    /// End of each request's references; empty where each request has one.
    pub(super) ends: Vec<u32>,
    requests: usize,
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.bytes.clear();
        self.writes.clear();
        self.ends.clear();
        self.requests = 0;
    }

    /// Whether it is better dealt with than made longer.
    pub(super) fn is_long(&self) -> bool {
        self.keys.len() >= 1 << 14
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests == 0
    }

    /// Adds a read or a write.
    #[inline]
    pub(super) fn add(
        &mut self,
        request: &Request,
        block: Option<u64>,
        directory: &mut Directory,
    ) -> Result<(), Full> {
        let write = u8::from(request.op == Op::Write);
        self.requests += 1;
        let Some(block) = block else {
            let offset = request.offset;
            // Objects at other bytes have names of their own, behind all sectors.
            let name = if offset.is_multiple_of(SECTOR) { offset / SECTOR } else { offset | 1 << 63 };
            self.put(directory.number(request.device, name)?, request.size, write);
            return Ok(());
        };
        let (first, end) = (request.offset, request.offset + u64::from(request.size));
        let (mut number, last) = (first / block, (end - 1) / block);
        if number == last && self.ends.is_empty() {
            self.put(directory.number(request.device, number)?, request.size, write);
            return Ok(());
        }
        if self.ends.is_empty() {
            self.ends.extend(1..=self.keys.len() as u32);
        }
        while number <= last {
            let from = first.max(number * block);
            let until = end.min((number + 1) * block);
            self.put(directory.number(request.device, number)?, (until - from) as u32, write);
            number += 1;
        }
        self.ends.push(self.keys.len() as u32);
        Ok(())
    }

    #[inline]
    fn put(&mut self, key: u32, bytes: u32, write: u8) {
        self.keys.push(key);
        self.bytes.push(bytes);
        self.writes.push(write);
    }

    /// What there is to hit.
    pub(super) fn count(&self, pass: &mut Pass) {
        self.count_hits(pass, |_| 1);
    }

    /// Adds up the references for which `hit` is 1, their bytes, and the requests all of whose references are so.
    #[inline]
    pub(super) fn count_hits(&self, pass: &mut Pass, hit: impl Fn(usize) -> u8) {
        // All, and the writes of them.
        let (mut references, mut bytes) = ([0_u64; 2], [0_u64; 2]);
        for (at, (&size, &write)) in self.bytes.iter().zip(&self.writes).enumerate() {
            let (hit, write) = (u64::from(hit(at)), u64::from(write));
            references[0] += hit;
            references[1] += hit & write;
            bytes[0] += hit * u64::from(size);
            bytes[1] += (hit & write) * u64::from(size);
        }
        let mut requests = references;
        if !self.ends.is_empty() {
            requests = [0; 2];
            let mut from = 0;
            for &end in &self.ends {
                let all = (from..end as usize).fold(1, |all, at| all & hit(at));
                requests[0] += u64::from(all);
                requests[1] += u64::from(all & self.writes[from]);
                from = end as usize;
            }
        }
        pass.requests.add(requests);
        pass.bytes.add(bytes);
        pass.references.add(references);
    }
}
