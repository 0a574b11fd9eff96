//! A solid-state drive: many commands in service at once, on flash behind a translation layer or by a data sheet.
//!
//! What a command takes is known when it starts, but for one thing: a write that waits for room in the buffer is held up
//! further by reads that come before the programs it waits for, and is asked again when its time has come.

mod buffered;
mod cache;
mod command;
mod die;
mod flash;
mod ftl;
mod hold;
mod limit;
mod link;
mod meter;
mod pending;
mod recent;
mod sense;
mod sheet;
#[cfg(test)]
mod tests;
mod totals;
mod unloaded;

pub use command::Completed;
pub use flash::FlashCounts;
pub use ftl::{Counts, Ftl, Geometry};
pub use totals::Totals;

use super::DriveOp;
use crate::bus::Bus;
use crate::clock::{Nanos, nanos};
use crate::observe::Observer;
use crate::plan::{FlashEnergyPlan, MediaPlan, SsdPlan, WearPlan};
use crate::power::{CAUSES, Cause};
use crate::rng::{Component, KeyedDraws, Stream};
use crate::slab::Slab;
use crate::state::State;
use buffered::Gate;
use command::{Command, Energy};
use flash::Flash;
use hold::Hold;
use limit::Limit;
use link::Link;
use meter::Meter;
use pending::Pending;
use sheet::Sheet;

#[derive(Debug)]
enum Media {
    Flash(Box<Flash>),
    Sheet(Box<Sheet>),
}

/// One solid-state drive.
#[derive(Debug)]
pub struct Ssd {
    media: Media,
    /// Most commands at once.
    depth: usize,
    sector_bytes: u64,
    /// How long commands hold the controller (reads, writes), and when it takes the next.
    holds: [Hold; 2],
    next_command: Nanos,
    /// Commands' fixed latencies: reads, writes.
    latency: [Nanos; 2],
    links: [Link; 2],
    limit: Option<Box<Limit>>,
    commands: Slab<Command>,
    pending: Pending,
    /// Commands in service by cause, and since when that has not been booked.
    serving: [u32; CAUSES],
    since: Nanos,
    /// Integral of the commands in service over the window, nanoseconds.
    pub area: u128,
    written_bytes: u64,
    trimmed_bytes: u64,
    trims: u64,
    /// As they were at the start of the window.
    before: Option<Totals>,
    /// Endurance.
    pub wear: WearPlan,
    raw_bytes: u64,
    planes: u64,
    energy: FlashEnergyPlan,
}

impl Ssd {
    /// Drive number `index` as it is at the start, of `plan`; it takes at most `depth` commands at once.
    #[must_use]
    pub fn new(plan: &SsdPlan, depth: usize, seed: u64, index: usize) -> Self {
        let i = &plan.interface;
        let draws = KeyedDraws::new(seed, Component::SsdLatency, index);
        let depth = depth.min(i.queue_depth).min(pending::MOST);
        let (media, raw_bytes, planes, energy) = match &plan.media {
            MediaPlan::Flash(flash) => {
                let mut random = Stream::new(seed, Component::FlashMap, index);
                let media = Media::Flash(Box::new(Flash::new(plan, flash, draws, &mut random)));
                (media, flash.raw_bytes(), u64::from(flash.planes), flash.energy)
            }
            MediaPlan::DataSheet(sheet) => {
                let raw = sheet.raw_bytes.unwrap_or_else(|| plan.capacity_bytes());
                let link = [i.read_bytes_per_s, i.write_bytes_per_s];
                let media = Media::Sheet(Box::new(Sheet::new(sheet, link, plan.power.active_w, draws)));
                (media, raw, 1, FlashEnergyPlan::default())
            }
        };
        let holds = [&i.read_holds, &i.write_holds].map(|holds| match holds.as_slice() {
            [] => Hold::fixed(i.commands_per_s.map_or(0.0, |rate| 1.0 / rate)),
            holds => Hold::new(holds),
        });
        Self {
            media,
            depth,
            sector_bytes: u64::from(plan.sector_bytes),
            holds,
            next_command: 0,
            latency: [nanos(i.command_read_s), nanos(i.command_write_s).max(1)],
            links: [Link::new(i.read_bytes_per_s), Link::new(i.write_bytes_per_s)],
            limit: plan.power.cap_w.map(|cap| Box::new(Limit::new(cap - plan.power.active_w))),
            commands: Slab::default(),
            pending: Pending::default(),
            serving: [0; CAUSES],
            since: 0,
            area: 0,
            written_bytes: 0,
            trimmed_bytes: 0,
            trims: 0,
            before: None,
            wear: plan.wear,
            raw_bytes,
            planes,
            energy,
        }
    }

    /// Commands in service.
    #[must_use]
    pub fn load(&self) -> usize {
        self.pending.len()
    }

    /// Whether it takes one more.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.pending.len() < self.depth
    }

    /// The earliest completion, as far as anybody knows.
    #[must_use]
    pub fn next_done(&self) -> Option<Nanos> {
        self.pending.first().map(|(at, _)| at)
    }

    /// When all that it does will be done, if nothing more comes.
    #[must_use]
    pub fn busy_until(&self) -> Nanos {
        let media = match &self.media {
            Media::Flash(flash) => flash.busy_until(),
            Media::Sheet(sheet) => sheet.busy_until(),
        };
        media.max(self.limit.as_ref().map_or(0, |l| l.free_at()))
    }

    /// Keys of the operations in service.
    pub fn in_service(&self) -> impl Iterator<Item = u32> + '_ {
        self.pending.all().map(|(_, number)| self.commands.at(number).op)
    }

    /// Takes a command into service. The drive was at rest before, if it was, until now.
    ///
    /// Where it shares a bus, its data pass that, too: read data as they are ready, written ones before they are.
    pub fn start(
        &mut self,
        now: Nanos,
        key: u32,
        op: &DriveOp,
        drive: usize,
        observer: &mut Observer,
        mut bus: Option<&mut Bus>,
    ) {
        self.account(now, drive, observer);
        if self.before.is_none() && now >= observer.window().start {
            self.before = Some(self.totals());
        }
        let (from, until) = (op.lbn * self.sector_bytes, (op.lbn + op.sectors) * self.sector_bytes);
        let bytes = until - from;
        let begins = self.next_command.max(now);
        let way = usize::from(op.write || op.trim);
        self.next_command = begins + self.holds[way].of(if op.trim { 0 } else { bytes });
        let ready = begins + self.latency[way];
        let redundant = if op.redundant > 0 { f64::from(op.redundant) / op.sectors as f64 } else { 0.0 };
        let mut command = Command {
            op: key,
            started: now,
            gate: Gate::default(),
            span: (now, ready),
            cause: op.cause,
            write: op.write,
            hit: false,
            redundant,
            energy: Energy::default(),
        };
        // Not done before.
        let mut least = ready;
        let window = *observer.window();
        let mut meter = Meter::new(observer, drive, self.limit.as_deref_mut(), now);
        let mut over_bus = |ready: Nanos| match &mut bus {
            None => ready,
            Some(bus) => {
                let takes = bus.transfer_ps(bytes) / 1_000;
                bus.reserve(now, ready, |_| takes, &window) + takes
            }
        };
        match &mut self.media {
            _ if op.trim => {
                self.trims += 1;
                self.trimmed_bytes += bytes;
                if let Media::Flash(flash) = &mut self.media {
                    flash.trim((from, until));
                }
            }
            Media::Flash(flash) => {
                flash.keep_pace(now, &mut meter);
                command.energy.transfer = self.energy.transfer_j_per_byte * bytes as f64;
                command.energy.command = self.energy.command_j;
                if op.write {
                    least = over_bus(self.links[1].carry(now, (ready, ready), bytes, bytes));
                    command.gate = flash.write((now, least), (from, until), op.cause, &mut meter);
                } else {
                    let out = flash.read((now, ready), (from, until), &mut meter);
                    let rest = bytes.min(flash.unit_bytes());
                    let over = (ready.max(out.first), ready.max(out.done));
                    least = over_bus(self.links[0].carry(now, over, bytes, rest));
                    command.energy.media = f64::from(out.pages) * self.energy.read_j;
                    command.hit = out.pages == 0;
                }
            }
            Media::Sheet(sheet) => {
                let turn = sheet.serve(now, from, bytes, op.write);
                command.energy.media = turn.joules;
                least = over_bus(turn.done);
                command.span = (turn.begins, turn.ends);
            }
        }
        self.written_bytes += if op.write { bytes } else { 0 };
        command.each(|operation, joules| meter.owe(op.cause, operation, joules));
        // A power cap holds it up until what it uses has passed.
        least = least.max(meter.free_at());
        let gated = match &self.media {
            Media::Flash(flash) => flash.time_of(command.gate),
            Media::Sheet(_) => 0,
        };
        self.serving[command.cause as usize] += 1;
        let number = self.commands.insert(command);
        self.pending.add(least.max(gated), number);
    }

    /// The earliest completion has come: ends that command, unless it is found to take longer.
    pub fn complete(&mut self, now: Nanos, drive: usize, observer: &mut Observer) -> Option<Completed> {
        let (_, number) = self.pending.first()?;
        let mut on_flash = false;
        if let Media::Flash(flash) = &self.media {
            let at = flash.time_of(self.commands.at(number).gate);
            if at > now {
                self.pending.put_off_first(at, number);
                return None;
            }
            on_flash = true;
        }
        self.account(now, drive, observer);
        self.pending.remove_first();
        let mut meter = Meter::new(observer, drive, self.limit.as_deref_mut(), now);
        let command = self.commands.at(number);
        self.serving[command.cause as usize] -= 1;
        let (from, until) = command.span;
        let until = if on_flash { now } else { until };
        command.book(1.0, (from, until.max(from)), &mut meter);
        let done = Completed { op: command.op, started: command.started, hit: command.hit };
        self.commands.remove(number);
        Some(done)
    }

    /// Books the time in service since the last change: it is shared out among the commands' causes.
    pub fn account(&mut self, now: Nanos, drive: usize, observer: &mut Observer) {
        let (from, all) = (self.since, self.pending.len() as u64);
        self.since = now;
        if all == 0 || from >= now {
            return;
        }
        let (inside, until) = observer.window().clip(from, now);
        self.area += u128::from(until - inside) * u128::from(all);
        let (mut so_far, mut at) = (0, from);
        for cause in Cause::ALL {
            let count = u64::from(self.serving[cause as usize]);
            if count == 0 {
                continue;
            }
            so_far += count;
            let end = from + part_of(now - from, so_far, all);
            observer.book_chain(drive, cause, at, [(State::Active, end)]);
            at = end;
        }
    }

    /// The run ends: books what has been used of what is under way.
    pub fn finish(&mut self, now: Nanos, drive: usize, observer: &mut Observer) {
        self.account(now, drive, observer);
        if self.before.is_none() {
            self.before = Some(self.totals());
        }
        let mut meter = Meter::new(observer, drive, self.limit.as_deref_mut(), now);
        for (at, number) in self.pending.all() {
            let command = self.commands.at(number);
            let (from, until) = command.span;
            let until = if matches!(self.media, Media::Flash(_)) { at } else { until };
            let passed = now.clamp(from, until.max(from));
            if passed > from {
                let share = (passed - from) as f64 / (until - from) as f64;
                command.book(share, (from, passed), &mut meter);
            }
        }
        self.settle(now, drive, observer);
    }

    /// Books the energy of what the drive has done by itself.
    pub fn settle(&mut self, now: Nanos, drive: usize, observer: &mut Observer) {
        if let Some(limit) = &mut self.limit {
            limit.settle(now, observer, drive);
        }
        let mut meter = Meter::new(observer, drive, self.limit.as_deref_mut(), now);
        if let Media::Flash(flash) = &mut self.media {
            flash.keep_pace(now, &mut meter);
            flash.settle(now, &mut meter);
        }
    }

    /// The drive is gone.
    pub fn stop(&mut self, now: Nanos, drive: usize, observer: &mut Observer) {
        self.settle(now, drive, observer);
        if let Media::Flash(flash) = &mut self.media {
            flash.stop();
        }
        self.limit = None;
    }

    fn totals(&self) -> Totals {
        let (ftl, flash) = match &self.media {
            Media::Flash(flash) => (flash.ftl.counts, flash.counts()),
            Media::Sheet(_) => Default::default(),
        };
        let Self { written_bytes, trimmed_bytes, trims, .. } = *self;
        Totals { written_bytes, trimmed_bytes, trims, ftl, flash }
    }

    /// Counts over the window, at the end of the run.
    #[must_use]
    pub fn counted(&self) -> Totals {
        let all = self.totals();
        all.since(&self.before.unwrap_or(all))
    }

    /// The translation layer, where there is one.
    #[must_use]
    pub fn ftl(&self) -> Option<&Ftl> {
        match &self.media {
            Media::Flash(flash) => Some(&flash.ftl),
            Media::Sheet(_) => None,
        }
    }

    /// Sizes of the flash, where they are known: in units, and the bytes of one.
    #[must_use]
    pub fn geometry(&self) -> Option<(&Geometry, u64)> {
        match &self.media {
            Media::Flash(flash) => Some((flash.geometry(), flash.unit_bytes())),
            Media::Sheet(_) => None,
        }
    }

    /// Bytes programmed for a byte written, of a data sheet.
    #[must_use]
    pub fn rated_amplification(&self) -> Option<f64> {
        match &self.media {
            Media::Flash(_) => None,
            Media::Sheet(sheet) => Some(sheet.write_amplification),
        }
    }

    /// Planes of a die.
    #[must_use]
    pub fn planes(&self) -> u64 {
        self.planes
    }

    /// Bytes of flash.
    #[must_use]
    pub fn raw_bytes(&self) -> u64 {
        self.raw_bytes
    }
}

/// `span * part / whole`, rounded down.
#[inline]
fn part_of(span: Nanos, part: u64, whole: u64) -> Nanos {
    if part == whole {
        return span;
    }
    match span.checked_mul(part) {
        Some(product) => product / whole,
        None => (u128::from(span) * u128::from(part) / u128::from(whole)) as Nanos,
    }
}
