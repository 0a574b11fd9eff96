//! A trace that stands for a larger system: its address space is laid out several times, evenly over a span.
//!
//! *Clones* are tenants alike: each has all requests, in address spaces of its own, and begins at a moment of its own (the trace is
//! taken as a circle). What a tenant does stays as it is: its order, reuse, runs and bursts.
//!
//! *Stretching* spreads the data of each tenant over several address spaces: each visit of a stream to an extent, as long as it stays there or
//! runs on from there, goes to one of them by chance. Runs, sizes and moments stay, and what is hot on a large scale; reuse is diluted.
//!
//! Requests are held in memory, because a clone may begin anywhere.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use rand_core::Rng;
use rand_pcg::Pcg64;

use super::step::Step;
use crate::error::{Code, Fault};
use crate::request::{Op, Request};
use crate::spec::CopiesSpec;

/// Requests at most (2.2 GB of them).
const MOST: usize = 50_000_000;
/// Most address spaces.
const MOST_SPACES: u64 = 1 << 32;
/// Address spaces begin at multiples of this.
const ALIGN: u64 = 1 << 20;
/// Bytes of an extent, which a visit does not leave but to run on.
const EXTENT: u64 = 1 << 20;
/// Visits of a stream that may be open at once.
const OPEN: usize = 16;
/// The random stream of this transformation.
const STREAM: u128 = 0x434f_5049_4553 << 64;

#[derive(Clone, Copy)]
struct Visit {
    extent: u64,
    end: u64,
    token: u32,
}

/// The last visits of a stream, the oldest replaced first.
#[derive(Default)]
struct Visits {
    open: Vec<Visit>,
    oldest: usize,
}

/// A tenant.
struct Tenant {
    phase_ns: u64,
    /// Its next request.
    next: usize,
    left: usize,
}

pub(super) struct Copies {
    spec: CopiesSpec,
    random: Pcg64,
    all: Vec<Request>,
    /// Of each request a number drawn for its visit; empty where nothing is stretched.
    tokens: Vec<u32>,
    /// By device and stream.
    visits: HashMap<(u32, u32), Visits>,
    /// Bytes of an address space; 0 until they are known.
    pitch: u64,
    reach: u64,
    period_ns: u64,
    tenants: Vec<Tenant>,
    /// Moments of the tenants' next requests.
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Copies {
    /// # Errors
    /// No copies, too many, or more than the span has room for.
    pub(super) fn new(spec: CopiesSpec, seed: u64) -> Result<Self, Fault> {
        let spaces = u64::from(spec.clones) * u64::from(spec.stretch);
        if spaces == 0 || spaces > MOST_SPACES {
            let reason = format!("clones x stretch is {spaces}; 1 to 2^32 address spaces are accepted");
            return Err(Fault::new(Code::OutOfRange, reason));
        }
        let pitch = spec.span_bytes.map_or(0, |span| span / spaces / ALIGN * ALIGN);
        if spec.span_bytes.is_some_and(|span| span > 1 << 63 || pitch == 0) {
            let reason = format!(
                "span leaves no whole MiB to each of {spaces} address spaces, or is more than 2^63 bytes"
            );
            return Err(Fault::new(Code::OutOfRange, reason));
        }
        Ok(Self {
            spec,
            random: Pcg64::new(u128::from(seed), STREAM),
            all: Vec::new(),
            tokens: Vec::new(),
            visits: HashMap::new(),
            pitch,
            reach: 0,
            period_ns: 0,
            tenants: Vec::new(),
            waiting: BinaryHeap::new(),
        })
    }

    /// The number of the visit that a request belongs to.
    fn token(&mut self, request: &Request) -> u32 {
        let visits = self.visits.entry((request.device, request.stream)).or_default();
        let (extent, end) = (request.offset / EXTENT, request.offset + u64::from(request.size));
        let open = visits.open.iter_mut().find(|visit| visit.extent == extent || visit.end == request.offset);
        if let Some(visit) = open {
            (visit.extent, visit.end) = (end.saturating_sub(1) / EXTENT, end);
            return visit.token;
        }
        let visit =
            Visit { extent: end.saturating_sub(1) / EXTENT, end, token: self.random.next_u64() as u32 };
        if visits.open.len() < OPEN {
            visits.open.push(visit);
        } else {
            visits.open[visits.oldest] = visit;
            visits.oldest = (visits.oldest + 1) % OPEN;
        }
        visit.token
    }

    /// The address space of a tenant that a visit goes to.
    fn space(&self, tenant: u32, at: usize) -> u64 {
        let first = u64::from(tenant) * u64::from(self.spec.stretch);
        let Some(&token) = self.tokens.get(at) else { return first };
        first + mixed(u64::from(token) << 32 | u64::from(tenant)) % u64::from(self.spec.stretch)
    }

    fn wait_for(&mut self, tenant: u32) {
        let one = &self.tenants[tenant as usize];
        if one.left > 0 {
            let (at, phase) = (self.all[one.next].time_ns - self.all[0].time_ns, one.phase_ns);
            let from_phase = if at >= phase { at - phase } else { at + self.period_ns - phase };
            self.waiting.push(Reverse((from_phase, tenant)));
        }
    }
}

/// A hash of 64 bits (the finalizer of `SplitMix64`).
fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

impl Step for Copies {
    fn put(&mut self, request: Request, _: &[String]) -> Result<(), Fault> {
        if self.all.len() == MOST {
            let reason = format!("more than {MOST} requests; take a part of the trace (start, end)");
            return Err(Fault::new(Code::TooLarge, reason));
        }
        if request.op != Op::Flush {
            self.reach = self.reach.max(request.offset + u64::from(request.size));
        }
        if self.spec.span_bytes.is_some() && self.reach > self.pitch {
            let spaces = u64::from(self.spec.clones) * u64::from(self.spec.stretch);
            let reason = format!(
                "a request ends at byte {}, but span leaves each of {spaces} address spaces {} bytes",
                self.reach, self.pitch
            );
            return Err(Fault::new(Code::OutOfRange, reason));
        }
        if self.spec.stretch > 1 {
            let token = self.token(&request);
            self.tokens.push(token);
        }
        self.all.push(request);
        Ok(())
    }

    fn end(&mut self) {
        let (Some(first), Some(last)) = (self.all.first(), self.all.last()) else { return };
        let lasts = last.time_ns - first.time_ns;
        // The last request is as far from the first one of the next round as requests are on average.
        self.period_ns = lasts + lasts / (self.all.len() as u64 - 1).max(1) + 1;
        if self.spec.span_bytes.is_none() {
            self.pitch = self.reach.next_multiple_of(ALIGN).max(ALIGN);
        }
        let start = first.time_ns;
        for tenant in 0..self.spec.clones {
            let drawn = (u128::from(self.random.next_u64()) * u128::from(self.period_ns)) >> 64;
            let phase_ns = if tenant == 0 { 0 } else { drawn as u64 };
            let next =
                self.all.partition_point(|request| request.time_ns - start < phase_ns) % self.all.len();
            self.tenants.push(Tenant { phase_ns, next, left: self.all.len() });
            self.wait_for(tenant);
        }
    }

    fn get(&mut self) -> Option<Request> {
        let Reverse((from_start, tenant)) = self.waiting.pop()?;
        let one = &mut self.tenants[tenant as usize];
        let at = one.next;
        one.next = (at + 1) % self.all.len();
        one.left -= 1;
        self.wait_for(tenant);
        let request = self.all[at];
        let offset = request.offset + self.space(tenant, at) * self.pitch;
        Some(Request { time_ns: self.all[0].time_ns + from_start, offset, ..request })
    }

    fn note(&self) -> Option<String> {
        let (clones, stretch) = (self.spec.clones, self.spec.stretch);
        let tenants = format!("{clones} clones of the trace, each from a moment of its own on");
        let stretched =
            format!("the data of each spread over {stretch} address spaces, by visits to extents of 1 MiB");
        Some(match (clones, stretch) {
            (_, 1) => tenants,
            (1, _) => format!(
                "the trace's data spread over {stretch} address spaces, by visits to extents of 1 MiB"
            ),
            _ => format!("{tenants}; {stretched}"),
        })
    }
}
