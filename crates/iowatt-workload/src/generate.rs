//! The generator: arrivals, streams and address laws of a plan put together into a [`Source`].

use crate::access::{Access, Memory, Range};
use crate::arrival::Process;
use crate::choice::Choice;
use crate::plan::{AccessPlan, FollowPlan, Plan, RunPlan, SizePlan, StreamPlan};
use crate::rng::{Draws, Purpose};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use iowatt_trace::{Code, Fault, NO_RESPONSE, Op, Request, Source, Summary, TraceError};

/// Streams and processes at most.
const MOST_STREAMS: usize = 4096;
/// Nanoseconds that a time in seconds may come to.
const MOST_NS: f64 = 9.2e18;

/// Sizes of one direction.
#[derive(Debug)]
struct Sizes {
    choice: Choice,
    bytes: Vec<u32>,
}

impl Sizes {
    /// `None` where the direction has no sizes.
    fn new(sizes: &[SizePlan]) -> Result<Option<Self>, String> {
        if sizes.is_empty() {
            return Ok(None);
        }
        if sizes.iter().any(|size| size.bytes == 0) {
            return Err("a size of zero".into());
        }
        let weights: Vec<f64> = sizes.iter().map(|size| size.weight).collect();
        let choice = Choice::new(&weights).ok_or("sizes without weight")?;
        Ok(Some(Self { choice, bytes: sizes.iter().map(|size| size.bytes).collect() }))
    }

    #[inline]
    fn draw(&self, draws: &mut Draws) -> u32 {
        self.bytes[self.choice.draw(draws)]
    }
}

/// One stream with its state.
#[derive(Debug)]
struct Stream {
    read_fraction: f64,
    reads: Option<Sizes>,
    writes: Option<Sizes>,
    range: Range,
    access: Access,
    draws: Draws,
    run: Option<RunPlan>,
}

/// The next request of a run that has begun, by time and then by the order in which it became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Follower {
    time_ns: u64,
    number: u64,
    stream: usize,
    write: bool,
    /// Size and first byte of the request before it.
    after: (u32, u64),
    /// Requests of the run from it on; `None` where that is drawn after each.
    left: Option<u32>,
}

impl Stream {
    fn new(plan: &Plan, index: usize) -> Result<Self, String> {
        let stream = &plan.streams[index];
        let (reads, writes) = (Sizes::new(&stream.read_sizes)?, Sizes::new(&stream.write_sizes)?);
        check(stream, reads.is_some(), writes.is_some())?;
        let range = Range::new(stream.start_bytes, stream.end_bytes - stream.start_bytes, stream.align_bytes);
        let mut draws = Draws::new(plan.seed, Purpose::Stream, plan.workload, index);
        let access = Access::new(stream, &range, &mut draws, (plan.seed, plan.workload, index))?;
        let run = stream.run.filter(|run| run.mean_requests > 1.0);
        Ok(Self { read_fraction: stream.read_fraction, reads, writes, range, access, draws, run })
    }

    /// Whether the next request writes.
    #[inline]
    fn way(&mut self) -> bool {
        match (&self.reads, &self.writes) {
            (Some(_), Some(_)) => self.draws.unit() >= self.read_fraction,
            (reads, _) => reads.is_none(),
        }
    }

    /// Size and first byte of the next request; `after` are those of the one that it follows in a run.
    #[inline]
    fn place(&mut self, write: bool, after: Option<(u32, u64)>, used: &mut Memory) -> (u32, u64) {
        let following = after.zip(self.run.map(|run| run.addresses));
        if let Some((same, FollowPlan::Same)) = following {
            return same;
        }
        let sizes = if write { &self.writes } else { &self.reads };
        let size = sizes.as_ref().map_or(512, |sizes| sizes.draw(&mut self.draws));
        let offset = match following {
            Some(((bytes, start), FollowPlan::Sequential)) => {
                self.range.next_to(start + u64::from(bytes), u64::from(size))
            }
            _ => self.access.next(&self.range, &mut self.draws, size, write, used),
        };
        (size, offset)
    }

    /// Requests that follow the first of a run; `None` where that is drawn after each of them.
    #[inline]
    fn followers(&mut self, run: RunPlan) -> Option<u32> {
        let more = run.mean_requests - 1.0;
        (!run.geometric).then(|| (more + self.draws.unit()) as u32)
    }

    /// Time to the next request of a run.
    #[inline]
    fn gap_ns(&mut self, run: RunPlan) -> u64 {
        let gap = if run.exponential { self.draws.exponential() * run.gap_s } else { run.gap_s };
        (gap * 1e9).round() as u64
    }
}

fn check(stream: &StreamPlan, reads: bool, writes: bool) -> Result<(), String> {
    let share = stream.read_fraction;
    if !(0.0..=1.0).contains(&share) {
        return Err(format!("a share of reads of {share}"));
    }
    if (share > 0.0 && !reads) || (share < 1.0 && !writes) {
        return Err("a direction that occurs has no sizes".into());
    }
    let largest = stream.read_sizes.iter().chain(&stream.write_sizes).map(|s| u64::from(s.bytes)).max();
    let bytes = stream.end_bytes.saturating_sub(stream.start_bytes);
    if largest.is_some_and(|largest| largest > bytes) || bytes == 0 {
        return Err(format!("its range of {bytes} bytes does not hold its largest request"));
    }
    if let Some(run) = stream.run
        && !(run.mean_requests >= 1.0 && run.mean_requests.is_finite() && (0.0..1e9).contains(&run.gap_s))
    {
        return Err("a run has at least one request, and no negative gap".into());
    }
    if stream.align_bytes == Some(0) {
        return Err("an alignment of zero".into());
    }
    Ok(())
}

/// Bytes of the blocks that are used again; 0 where none are.
fn reused_block(plan: &Plan) -> Result<u64, String> {
    let mut found = plan.streams.iter().filter_map(|stream| match &stream.access {
        AccessPlan::Density { block_bytes, reuse, fresh, .. } if !reuse.is_empty() || *fresh > 0.0 => {
            Some(*block_bytes)
        }
        _ => None,
    });
    let first = found.next().unwrap_or(0);
    if found.all(|other| other == first) {
        Ok(first)
    } else {
        Err("streams that use blocks again need blocks of one size".into())
    }
}

/// A synthetic workload as a source of requests.
pub struct Generator {
    name: String,
    streams: Vec<Stream>,
    processes: Vec<Process>,
    /// What density laws share.
    used: Memory,
    /// Next request of each process; `None` where it has ended.
    pending: Vec<Option<(f64, usize)>>,
    primed: bool,
    /// Whether streams have runs; the next arrival and what follows earlier ones then compete.
    has_runs: bool,
    arriving: Option<Option<(u64, usize)>>,
    followers: BinaryHeap<Reverse<Follower>>,
    followed: u64,
    devices: Vec<String>,
    names: Vec<String>,
    requests: Option<u64>,
    end_s: f64,
    made: u64,
    last_ns: u64,
    equal_stamps: u64,
    ended: bool,
}

impl Generator {
    /// The workload of `plan`; `recorded` are the stamps that its arrivals take, where they are recorded.
    ///
    /// # Errors
    /// What in the plan cannot be, in words.
    pub fn new(plan: &Plan, recorded: Option<Box<dyn Source>>) -> Result<Self, String> {
        if plan.streams.is_empty() || plan.processes.is_empty() {
            return Err("no streams, or no arrivals".into());
        }
        if plan.streams.len() > MOST_STREAMS || plan.processes.len() > MOST_STREAMS {
            return Err(format!("more than {MOST_STREAMS} streams"));
        }
        if plan.duration_s.is_some_and(|end| end.is_nan() || end <= 0.0) {
            return Err("a duration that is none".into());
        }
        let named = |index: usize, error: String| format!("stream {}: {error}", plan.streams[index].name);
        let streams: Result<Vec<_>, _> =
            (0..plan.streams.len()).map(|i| Stream::new(plan, i).map_err(|e| named(i, e))).collect();
        let mut recorded = recorded;
        let processes: Result<Vec<_>, _> =
            (0..plan.processes.len()).map(|i| Process::new(plan, i, recorded.take())).collect();
        let processes = processes?;
        Ok(Self {
            name: plan.name.clone(),
            streams: streams?,
            used: Memory::new(reused_block(plan)?),
            pending: vec![None; processes.len()],
            processes,
            primed: false,
            has_runs: plan.streams.iter().any(|stream| stream.run.is_some()),
            arriving: None,
            followers: BinaryHeap::with_capacity(1024),
            followed: 0,
            devices: vec!["0".to_owned()],
            names: plan.streams.iter().map(|stream| stream.name.clone()).collect(),
            requests: plan.requests,
            end_s: plan.duration_s.unwrap_or(f64::INFINITY),
            made: 0,
            last_ns: 0,
            equal_stamps: 0,
            ended: false,
        })
    }

    /// Time and stream of the next request over all processes.
    #[inline]
    fn arrival(&mut self) -> Result<Option<(f64, usize)>, TraceError> {
        if let [only] = self.processes.as_mut_slice() {
            return only.arrival();
        }
        if !self.primed {
            self.primed = true;
            for (pending, process) in self.pending.iter_mut().zip(&mut self.processes) {
                *pending = process.arrival()?;
            }
        }
        let mut first: Option<(usize, f64)> = None;
        for (index, pending) in self.pending.iter().enumerate() {
            if let Some((at, _)) = *pending
                && first.is_none_or(|(_, earliest)| at < earliest)
            {
                first = Some((index, at));
            }
        }
        let Some((index, _)) = first else { return Ok(None) };
        let next = self.processes[index].arrival()?;
        Ok(std::mem::replace(&mut self.pending[index], next))
    }

    /// Nanoseconds and stream of the next arrival within the duration.
    #[inline]
    fn arrival_ns(&mut self) -> Result<Option<(u64, usize)>, TraceError> {
        let Some((at, stream)) = self.arrival()? else { return Ok(None) };
        if at >= self.end_s {
            return Ok(None);
        }
        let ns = at * 1e9;
        if ns > MOST_NS {
            let fault = Fault::new(Code::OutOfRange, "its requests reach beyond 285 years");
            return Err(TraceError::unusable(&self.name, fault));
        }
        Ok(Some((ns.round() as u64, stream)))
    }

    #[inline]
    fn request(&mut self) -> Result<Option<Request>, TraceError> {
        if self.requests.is_some_and(|limit| self.made >= limit) {
            return Ok(None);
        }
        if self.has_runs {
            return self.request_of_runs();
        }
        let Some((time_ns, stream)) = self.arrival_ns()? else { return Ok(None) };
        let write = self.streams[stream].way();
        Ok(Some(self.made(time_ns, stream, write, None)))
    }

    /// The next request where arrivals bring others after them.
    fn request_of_runs(&mut self) -> Result<Option<Request>, TraceError> {
        let arriving = match self.arriving.take() {
            Some(arriving) => arriving,
            None => self.arrival_ns()?,
        };
        let first = self.followers.peek().map(|Reverse(follower)| follower.time_ns);
        if let Some((time_ns, stream)) = arriving
            && first.is_none_or(|first| time_ns <= first)
        {
            let write = self.streams[stream].way();
            return Ok(Some(self.made(time_ns, stream, write, None)));
        }
        self.arriving = Some(arriving);
        let Some(Reverse(next)) = self.followers.pop() else { return Ok(None) };
        Ok(Some(self.made(next.time_ns, next.stream, next.write, Some(next))))
    }

    #[inline]
    fn made(&mut self, time_ns: u64, stream: usize, write: bool, after: Option<Follower>) -> Request {
        let time_ns = time_ns.max(self.last_ns);
        self.equal_stamps += u64::from(self.made > 0 && time_ns == self.last_ns);
        self.last_ns = time_ns;
        self.made += 1;
        let of = &mut self.streams[stream];
        let (size, offset) = of.place(write, after.map(|follower| follower.after), &mut self.used);
        let response_ns = NO_RESPONSE;
        let op = if write { Op::Write } else { Op::Read };
        let request = Request { time_ns, offset, response_ns, size, device: 0, stream: stream as u32, op };
        if let Some(run) = of.run {
            self.follow(run, &request, after);
        }
        request
    }

    /// Notes the request that follows `request`, itself `this` in its run, if one does.
    fn follow(&mut self, run: RunPlan, request: &Request, this: Option<Follower>) {
        let stream = request.stream as usize;
        let of = &mut self.streams[stream];
        let left = match this {
            None => of.followers(run),
            Some(this) => this.left.map(|left| left - 1),
        };
        let goes_on = left.map_or_else(|| of.draws.unit() * run.mean_requests >= 1.0, |left| left > 0);
        if !goes_on {
            return;
        }
        let time_ns = request.time_ns.saturating_add(of.gap_ns(run));
        let (write, after) = (request.op == Op::Write, (request.size, request.offset));
        let follower = Follower { time_ns, number: self.followed, stream, write, after, left };
        self.followed += 1;
        if (time_ns as f64) < self.end_s * 1e9 {
            self.followers.push(Reverse(follower));
        }
    }
}

impl Source for Generator {
    fn fill(&mut self, out: &mut Vec<Request>, limit: usize) -> Result<bool, TraceError> {
        for _ in 0..limit {
            if self.ended {
                break;
            }
            match self.request()? {
                Some(request) => out.push(request),
                None => self.ended = true,
            }
        }
        Ok(!self.ended)
    }

    fn devices(&self) -> &[String] {
        &self.devices
    }

    fn streams(&self) -> &[String] {
        &self.names
    }

    fn summary(&self) -> Option<Summary> {
        Some(Summary {
            format: "synthetic".to_owned(),
            requests: self.made,
            equal_stamps: self.equal_stamps,
            ..Summary::default()
        })
    }

    fn progress(&self) -> Option<f64> {
        let by_count = self.requests.map(|limit| self.made as f64 / limit.max(1) as f64);
        let by_time = self.end_s.is_finite().then(|| self.last_ns as f64 * 1e-9 / self.end_s);
        let by_stamps = self.processes.iter().find_map(Process::progress);
        let parts = [by_count, by_time, by_stamps];
        let furthest = parts
            .into_iter()
            .flatten()
            .fold(None, |most: Option<f64>, part| Some(most.map_or(part, |most| most.max(part))));
        furthest.map(|fraction| if self.ended { 1.0 } else { fraction.clamp(0.0, 1.0) })
    }
}
