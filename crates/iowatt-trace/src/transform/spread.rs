//! Coarse stamps taken apart: the requests of one tick are spread uniformly over it, in their order.
//!
//! A trace whose stamps count whole seconds says how many requests a second had and in which order, nothing more. Its
//! requests get independent uniform moments within their tick, sorted, so that the order stays: what a Poisson
//! process would have done, given the count of each tick. Bursts within a tick are not recovered.

use rand_core::Rng;
use rand_pcg::Pcg64;

use super::step::Step;
use crate::error::{Code, Fault};
use crate::request::Request;

/// Requests of one tick at most (80 MiB of them).
const MOST: usize = 1 << 21;
/// The random stream of this transformation.
const STREAM: u128 = 0x5350_5245_4144 << 64;

pub(super) struct Spread {
    tick_ns: u64,
    random: Pcg64,
    /// Of one stamp, not yet complete.
    tick: Vec<Request>,
    ready: Vec<Request>,
    at: usize,
    moments: Vec<u64>,
}

impl Spread {
    pub(super) fn new(tick_ns: u64, seed: u64) -> Self {
        Self {
            tick_ns,
            random: Pcg64::new(u128::from(seed), STREAM),
            tick: Vec::new(),
            ready: Vec::new(),
            at: 0,
            moments: Vec::new(),
        }
    }

    fn release(&mut self) {
        self.ready.clear();
        self.at = 0;
        std::mem::swap(&mut self.ready, &mut self.tick);
        self.moments.clear();
        for _ in 0..self.ready.len() {
            let moment = (u128::from(self.random.next_u64()) * u128::from(self.tick_ns)) >> 64;
            self.moments.push(moment as u64);
        }
        self.moments.sort_unstable();
        for (request, moment) in self.ready.iter_mut().zip(&self.moments) {
            request.time_ns = request.time_ns.saturating_add(*moment).min(i64::MAX.unsigned_abs());
        }
    }
}

impl Step for Spread {
    fn put(&mut self, request: Request, _: &[String]) -> Result<(), Fault> {
        if let Some(first) = self.tick.first() {
            let apart = request.time_ns - first.time_ns;
            if apart > 0 && apart < self.tick_ns {
                let tick = self.tick_ns;
                let reason =
                    format!("stamps {apart} ns apart are finer than the tick of {tick} ns given by spread");
                return Err(Fault::new(Code::Conflict, reason));
            }
            if apart > 0 {
                self.release();
            } else if self.tick.len() == MOST {
                let reason = format!("more than {MOST} requests share a stamp; they cannot be spread");
                return Err(Fault::new(Code::TooLarge, reason));
            }
        }
        self.tick.push(request);
        Ok(())
    }

    fn get(&mut self) -> Option<Request> {
        let request = self.ready.get(self.at).copied()?;
        self.at += 1;
        Some(request)
    }

    fn end(&mut self) {
        // What is ready has been taken: nothing is put before.
        self.release();
    }

    fn note(&self) -> Option<String> {
        Some(format!("equal stamps were spread uniformly over their tick of {} ns, by chance", self.tick_ns))
    }
}
