//! Quality of service at the door of the array: a request waits for the limits of its volume (token buckets), then for a
//! place in the array, and gives that back with the array's answer.
//!
//! Whether limits let a request pass is known when it comes, as a later one never overtakes it; so waiting for them needs
//! no queue, only an event at its end.

mod bucket;
mod turns;

use crate::clock::Nanos;
use crate::plan::{Plan, VolumeQosPlan};
use crate::power::Window;
use bucket::Bucket;
use turns::Turns;

/// Waiting for one thing: within the window, and of requests that came in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waits {
    /// Requests that had to wait, and whose wait is over.
    pub requests: u64,
    /// How long they did.
    pub time: Nanos,
    /// Integral of the number that waits, whenever they came.
    pub area: u128,
}

impl Waits {
    fn add(&mut self, since: Nanos, now: Nanos, counted: bool, window: &Window) {
        self.area += waited(since, now, window);
        if counted && now > since {
            self.requests += 1;
            self.time += now - since;
        }
    }
}

fn waited(since: Nanos, now: Nanos, window: &Window) -> u128 {
    let (from, until) = window.clip(since, now);
    u128::from(until - from)
}

/// What happened to the requests of a volume.
#[derive(Clone, Copy, Debug, Default)]
pub struct QosTotals {
    /// Requests that came in the window.
    pub visits: u64,
    /// Waiting for the limits.
    pub limits: Waits,
    /// Waiting for a place in the array.
    pub turns: Waits,
}

#[derive(Debug)]
struct Volume {
    /// Of requests, of bytes.
    limits: [Option<Bucket>; 2],
    /// Requests that wait for the limits.
    held: u32,
    totals: QosTotals,
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not here.
    Outside,
    /// The limits of its volume hold it back.
    Held,
    /// It waits for a place.
    Queued,
    /// In the array.
    In,
}

/// What a request wanted when it came, and since when it waits.
#[derive(Clone, Copy, Debug)]
struct Guest<T> {
    stage: Stage,
    volume: u32,
    since: Nanos,
    counted: bool,
    wants: T,
}

/// The door. `T` is what a request wants of the array, which the engine gets back with its admission.
#[derive(Debug)]
pub struct Qos<T> {
    volumes: Vec<Volume>,
    turns: Option<Turns>,
    /// The volume of each workload.
    volume_of: Vec<u32>,
    /// By key of the request.
    guests: Vec<Guest<T>>,
}

impl<T: Copy> Qos<T> {
    /// The limits and places of `plan`; `None` where there are neither.
    #[must_use]
    pub fn new(plan: &Plan) -> Option<Self> {
        if !plan.has_qos() {
            return None;
        }
        let of = || plan.volumes.iter().map(|volume| volume.qos.unwrap_or_default());
        let volume = |qos: VolumeQosPlan| Volume {
            limits: [qos.iops, qos.bytes_per_s].map(|rate| rate.map(|rate| Bucket::new(rate, qos.burst_s))),
            held: 0,
            totals: QosTotals::default(),
        };
        let turns = plan.qos.map(|qos| Turns::new(&qos, of()));
        let volume_of = plan.workloads.iter().map(|workload| workload.volume as u32).collect();
        Some(Self { volumes: of().map(volume).collect(), turns, volume_of, guests: Vec::new() })
    }

    /// Request `host` of `size` bytes of a workload comes; when the limits of its volume let it pass, if not at once.
    pub fn come(
        &mut self,
        host: u32,
        (workload, size): (u32, u64),
        wants: T,
        now: Nanos,
        window: &Window,
    ) -> Option<Nanos> {
        let (at, counted) = (host as usize, window.begins(now));
        let volume = self.volume_of[workload as usize];
        let guest = Guest { stage: Stage::Held, volume, since: now, counted, wants };
        if at >= self.guests.len() {
            self.guests.resize(at + 1, Guest { stage: Stage::Outside, ..guest });
        }
        self.guests[at] = guest;
        let volume = &mut self.volumes[volume as usize];
        volume.totals.visits += u64::from(counted);
        let passes = volume.limits.iter().flatten().map(|bucket| bucket.passes(now)).max().unwrap_or(now);
        for (bucket, units) in volume.limits.iter_mut().zip([1, size]) {
            bucket.iter_mut().for_each(|bucket| bucket.take(passes, units));
        }
        if passes == now && volume.held == 0 {
            return None;
        }
        volume.held += 1;
        Some(passes)
    }

    /// The limits let a request pass that they held back.
    pub fn released(&mut self, host: u32, now: Nanos, window: &Window) {
        let guest = &mut self.guests[host as usize];
        let volume = &mut self.volumes[guest.volume as usize];
        volume.held -= 1;
        volume.totals.limits.add(guest.since, now, guest.counted, window);
        guest.since = now;
    }

    /// A request that has passed the limits asks for a place; what it wants, if it has one now.
    pub fn ask(&mut self, host: u32) -> Option<T> {
        let guest = &mut self.guests[host as usize];
        let admitted = self.turns.as_mut().is_none_or(|turns| turns.ask(guest.volume as usize, host));
        guest.stage = if admitted { Stage::In } else { Stage::Queued };
        admitted.then_some(guest.wants)
    }

    /// Whether a request is in the array.
    #[must_use]
    pub fn is_in(&self, host: u32) -> bool {
        self.guests.get(host as usize).is_some_and(|guest| guest.stage == Stage::In)
    }

    /// The array has answered a request; which one has its place now.
    pub fn leave(&mut self, host: u32) -> Option<u32> {
        if !self.is_in(host) {
            return None;
        }
        self.guests[host as usize].stage = Stage::Outside;
        self.turns.as_mut()?.give()
    }

    /// A request that waited has its place; what it wants.
    pub fn admitted(&mut self, host: u32, now: Nanos, window: &Window) -> T {
        let guest = &mut self.guests[host as usize];
        guest.stage = Stage::In;
        let totals = &mut self.volumes[guest.volume as usize].totals;
        totals.turns.add(guest.since, now, guest.counted, window);
        guest.wants
    }

    /// Ends the run: those that still wait have waited until now.
    pub fn finish(&mut self, end: Nanos, window: &Window) {
        for guest in &self.guests {
            let totals = &mut self.volumes[guest.volume as usize].totals;
            match guest.stage {
                Stage::Held => totals.limits.area += waited(guest.since, end, window),
                Stage::Queued => totals.turns.area += waited(guest.since, end, window),
                Stage::Outside | Stage::In => {}
            }
        }
    }

    /// By volume.
    pub fn totals(&self) -> impl Iterator<Item = &QosTotals> {
        self.volumes.iter().map(|volume| &volume.totals)
    }
}
