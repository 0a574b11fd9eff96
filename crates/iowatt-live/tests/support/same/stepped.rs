//! A trace through a live volume whose time is told: each transfer ends when the simulated device would end it.

use super::{Case, EXTENT, End, SPEEDS};
use crate::support::memory::Memory;
use iowatt_live::driver::{Failure, Host, Step, Stepped, Work};
use iowatt_live::{Volume, VolumeSpec};
use iowatt_trace::{Op, Request};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Takes answers until they are looked at.
#[derive(Default)]
struct Answers(Mutex<Vec<(u64, Vec<u8>)>>);

impl Host for Answers {
    fn answer(&self, cookie: u64, outcome: Result<Vec<u8>, Failure>) {
        self.0.lock().unwrap().push((cookie, outcome.expect("the stores are sound")));
    }
}

/// What a part is on, as the simulator has it.
#[derive(Default)]
struct Device {
    /// When it takes its next command.
    free: u64,
    /// Transfers in the order of their ends, each with its time.
    due: VecDeque<(u64, Step)>,
    /// When it last began or ended one: of two that are done at once, the one with the earlier turn comes first.
    turn: u64,
}

/// A volume, its devices, and the requests in flight.
struct Room<'a> {
    trace: &'a [Request],
    volume: Stepped,
    answers: Arc<Answers>,
    devices: [Device; 2],
    /// Counts what begins and ends on devices.
    turns: u64,
    now: u64,
    answered: usize,
    /// What each sector holds, where requests come one after another.
    holds: Option<Vec<u8>>,
}

/// A volume on stores that take so long.
pub fn made(case: &Case, takes: [Duration; 2], prompt: bool) -> Volume {
    let plan = case.plan().to_string();
    let needed = Volume::needed_bytes(&plan).unwrap();
    let stores = needed.iter().zip(takes).map(|(&bytes, takes)| Memory::store(bytes, takes, prompt));
    let stores: Vec<_> = stores.collect();
    let spec = VolumeSpec { name: "same".into(), uuid: "5".repeat(32), plan };
    assert_eq!(Volume::create(&spec, &stores).unwrap(), case.extents * EXTENT);
    Volume::open(&stores).unwrap()
}

/// What request `number` does; a write has bytes of its own.
pub fn work(number: usize, request: &Request) -> Work {
    let (at, bytes) = (request.offset, u64::from(request.size));
    match request.op {
        Op::Write => {
            Work::Write { at, data: Arc::new(vec![number as u8 | 1; bytes as usize]), durable: false }
        }
        _ => Work::Read { at, bytes },
    }
}

/// Runs `trace`: each request at its time, or so many outstanding.
pub fn run(case: &Case, trace: &[Request], outstanding: Option<usize>) -> End {
    let mut room = Room {
        trace,
        volume: made(case, [Duration::ZERO; 2], false).stepped().unwrap(),
        answers: Arc::default(),
        devices: Default::default(),
        turns: 0,
        now: 0,
        answered: 0,
        holds: outstanding.is_none().then(|| vec![0; (case.extents * EXTENT / 512) as usize]),
    };
    match outstanding {
        None => room.one_by_one(),
        Some(requests) => room.with_outstanding(requests),
    }
    room.volume.audit().unwrap();
    room.volume.results()
}

impl Room<'_> {
    fn one_by_one(&mut self) {
        for (number, request) in self.trace.iter().enumerate() {
            while self.happens(request.time_ns) {}
            assert!(self.is_at_rest() && self.answered == number, "all is over before request {number}");
            self.now = request.time_ns;
            self.submit(number);
            self.settle();
        }
        while self.answered < self.trace.len() {
            assert!(self.happens(u64::MAX));
        }
        self.wind_down();
    }

    fn with_outstanding(&mut self, requests: usize) {
        (0..requests).for_each(|number| self.submit(number));
        self.settle();
        while self.answered < self.trace.len() {
            let before = self.answered;
            assert!(self.happens(u64::MAX));
            for number in before..self.answered {
                if number + requests < self.trace.len() {
                    self.submit(number + requests);
                    self.settle();
                }
            }
        }
        self.wind_down();
    }

    /// As a run of the simulator ends: what is in flight comes to its end, and nothing more begins.
    fn wind_down(&mut self) {
        self.volume.drain();
        while !self.is_at_rest() {
            self.happens(u64::MAX);
        }
    }

    fn is_at_rest(&self) -> bool {
        self.devices.iter().all(|device| device.due.is_empty())
    }

    fn takes_turn(&mut self, part: usize) {
        self.turns += 1;
        self.devices[part].turn = self.turns;
    }

    fn submit(&mut self, number: usize) {
        self.volume.tell(self.now);
        let host: Arc<dyn Host> = Arc::<Answers>::clone(&self.answers);
        self.volume.submit(work(number, &self.trace[number]), &host, number as u64);
    }

    /// The next thing before `until` happens, if there is any.
    fn happens(&mut self, until: u64) -> bool {
        let next = |device: &Device| (device.due.front().map_or(u64::MAX, |due| due.0), device.turn);
        let which = usize::from(next(&self.devices[1]) < next(&self.devices[0]));
        let (ends, _) = next(&self.devices[which]);
        let alarm = self.volume.alarm_at();
        self.now = match ends.min(alarm) {
            next if next >= until => return false,
            next => next,
        };
        self.volume.tell(self.now);
        if alarm < ends {
            self.volume.wake_policy();
        } else if let Some((_, step)) = self.devices[which].due.pop_front() {
            self.takes_turn(which);
            self.volume.end(step);
        }
        self.settle();
        true
    }

    /// Devices take what was opened; to make something durable takes no time, as in the simulator.
    fn settle(&mut self) {
        loop {
            while let Some(step) = self.volume.next() {
                let (part, speed) = (step.part, SPEEDS[step.part]);
                let device = &mut self.devices[part];
                let begins = self.now.max(device.free);
                device.free = begins + speed.hold_ns;
                device.due.push_back((begins + speed.latency_ns, step));
                self.takes_turn(part);
            }
            if !self.volume.make_durable() {
                break;
            }
        }
        let answers = std::mem::take(&mut *self.answers.0.lock().unwrap());
        for (cookie, bytes) in answers {
            self.answered += 1;
            self.check(cookie as usize, &bytes);
        }
    }

    /// A read finds what was written last.
    fn check(&mut self, number: usize, bytes: &[u8]) {
        let (Some(holds), request) = (&mut self.holds, &self.trace[number]) else { return };
        let first = request.offset as usize / 512;
        let sectors = &mut holds[first..first + request.size as usize / 512];
        if request.op == Op::Write {
            sectors.fill(number as u8 | 1);
        } else {
            let wrong =
                sectors.iter().zip(bytes.chunks(512)).position(|(s, b)| b.iter().any(|byte| byte != s));
            assert_eq!(wrong, None, "request {number}");
        }
    }
}
