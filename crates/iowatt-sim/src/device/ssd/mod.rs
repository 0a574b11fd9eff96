//! A solid-state drive: many commands in service at once, on flash behind a translation layer or by a data sheet.
//!
//! What a command takes is known when it starts, but for one thing: a write that waits for room in the buffer is held up
//! further by reads that come before the programs it waits for, and is asked again when its time has come.

mod die;
mod flash;
mod ftl;
mod limit;
pub mod map;
mod meter;
mod sheet;
mod shuffle;
pub mod steady;
#[cfg(test)]
mod tests;

pub use flash::FlashCounts;
pub use ftl::{Counts, Ftl, Geometry};

use super::DriveOp;
use crate::bus::Bus;
use crate::clock::{Nanos, nanos, whole};
use crate::observe::Observer;
use crate::plan::{FlashEnergyPlan, MediaPlan, SsdInterfacePlan, SsdPlan, WearPlan};
use crate::power::{CAUSES, Cause, FLASH_OPERATIONS, FlashOperation, Slot};
use crate::rng::Stream;
use crate::state::State;
use flash::{Flash, Gate};
use limit::Limit;
use meter::Meter;
use sheet::Sheet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A way to the host that carries one thing at a time.
#[derive(Clone, Copy, Debug)]
struct Link {
    byte: f64,
    free: Nanos,
}

impl Link {
    fn new(bytes_per_s: f64) -> Self {
        Self { byte: 1e9 / bytes_per_s, free: 0 }
    }

    /// End of a transfer of `bytes`, of which the last `rest` are ready at `ready` and all others were before.
    fn carry(&mut self, now: Nanos, ready: Nanos, bytes: u64, rest: u64) -> Nanos {
        let takes = |bytes: u64| whole(bytes as f64 * self.byte);
        let all = takes(bytes);
        let rest = takes(rest);
        self.free = self.free.max(now) + all;
        self.free.max(ready + rest)
    }
}

/// A command in service.
#[derive(Clone, Copy, Debug)]
struct Command {
    op: u32,
    started: Nanos,
    /// Not done before.
    least: Nanos,
    /// Nor before this.
    gate: Option<Gate>,
    /// When its energy is used.
    span: (Nanos, Nanos),
    cause: Cause,
    /// Share of it that is for redundancy.
    redundant: f64,
    joules: [f64; FLASH_OPERATIONS],
    /// It needed no flash.
    hit: bool,
}

/// A command that is done.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// Key of its operation.
    pub op: u32,
    /// When it was taken into service.
    pub started: Nanos,
    /// A read that needed no flash.
    pub hit: bool,
}

/// Counts over a span.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Bytes that the host wrote.
    pub written_bytes: u64,
    /// Bytes that it gave up.
    pub trimmed_bytes: u64,
    /// Commands that did so.
    pub trims: u64,
    /// Of the translation layer.
    pub ftl: Counts,
    /// Of the flash.
    pub flash: FlashCounts,
}

impl Totals {
    /// What came after `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let (f, g) = (&self.ftl, &before.ftl);
        let (n, m) = (&self.flash, &before.flash);
        Self {
            written_bytes: self.written_bytes - before.written_bytes,
            trimmed_bytes: self.trimmed_bytes - before.trimmed_bytes,
            trims: self.trims - before.trims,
            ftl: Counts {
                host: f.host - g.host,
                moved: f.moved - g.moved,
                levelled: f.levelled - g.levelled,
                padded: f.padded - g.padded,
                erased: f.erased - g.erased,
                trimmed: f.trimmed - g.trimmed,
            },
            flash: FlashCounts {
                pages_read: n.pages_read - m.pages_read,
                pages_sensed: n.pages_sensed - m.pages_sensed,
                programs: n.programs - m.programs,
                buffered: n.buffered - m.buffered,
                suspended: n.suspended - m.suspended,
            },
        }
    }
}

#[derive(Debug)]
enum Media {
    Flash(Box<Flash>),
    Sheet(Sheet),
}

/// One solid-state drive.
#[derive(Debug)]
pub struct Ssd {
    media: Media,
    interface: SsdInterfacePlan,
    sector_bytes: u64,
    /// Nanoseconds between two commands, and when the controller takes the next.
    gap: Nanos,
    next_command: Nanos,
    /// Commands' fixed latencies: reads, writes.
    latency: [Nanos; 2],
    links: [Link; 2],
    limit: Option<Box<Limit>>,
    commands: Vec<Command>,
    unused: Vec<u32>,
    pending: BinaryHeap<Reverse<(Nanos, u64, u32)>>,
    order: u64,
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
    /// The drive of `plan`, which takes at most `depth` commands at once, as it is at the start.
    #[must_use]
    pub fn new(plan: &SsdPlan, depth: usize, random: &mut Stream) -> Self {
        let i = plan.interface;
        let depth = depth.min(i.queue_depth);
        let (media, raw_bytes, planes, energy) = match &plan.media {
            MediaPlan::Flash(flash) => {
                let raw = flash.raw_bytes();
                (
                    Media::Flash(Box::new(Flash::new(plan, flash, random))),
                    raw,
                    u64::from(flash.planes),
                    flash.energy,
                )
            }
            MediaPlan::DataSheet(sheet) => {
                let raw = sheet.raw_bytes.unwrap_or_else(|| plan.capacity_bytes());
                (Media::Sheet(Sheet::new(sheet, plan.power.active_w)), raw, 1, FlashEnergyPlan::default())
            }
        };
        Self {
            media,
            interface: SsdInterfacePlan { queue_depth: depth, ..i },
            sector_bytes: u64::from(plan.sector_bytes),
            gap: i.commands_per_s.map_or(0, |rate| (1e9 / rate).round() as Nanos),
            next_command: 0,
            latency: [nanos(i.command_read_s), nanos(i.command_write_s).max(1)],
            links: [Link::new(i.read_bytes_per_s), Link::new(i.write_bytes_per_s)],
            limit: plan.power.cap_w.map(|cap| Box::new(Limit::new(cap - plan.power.active_w))),
            commands: Vec::new(),
            unused: Vec::new(),
            pending: BinaryHeap::new(),
            order: 0,
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
        self.pending.len() < self.interface.queue_depth
    }

    /// The earliest completion, as far as anybody knows.
    #[must_use]
    pub fn next_done(&self) -> Option<Nanos> {
        self.pending.peek().map(|Reverse((at, ..))| *at)
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
        self.pending.iter().map(|Reverse((.., slot))| self.commands[*slot as usize].op)
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
        self.next_command = begins + self.gap;
        let way = usize::from(op.write || op.trim);
        let ready = begins + self.latency[way];
        let redundant = if op.redundant > 0 { f64::from(op.redundant) / op.sectors as f64 } else { 0.0 };
        let mut command = Command {
            op: key,
            started: now,
            least: ready,
            gate: None,
            span: (now, ready),
            cause: op.cause,
            redundant,
            joules: [0.0; FLASH_OPERATIONS],
            hit: false,
        };
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
                command.joules[FlashOperation::Transfer as usize] =
                    self.energy.transfer_j_per_byte * bytes as f64;
                command.joules[FlashOperation::Command as usize] = self.energy.command_j;
                if op.write {
                    command.least = over_bus(self.links[1].carry(now, ready, bytes, bytes));
                    command.gate = flash.write((now, command.least), (from, until), op.cause, &mut meter);
                } else {
                    let out = flash.read((now, ready), (from, until), &mut meter);
                    let rest = bytes.min(flash.unit_bytes());
                    command.least = over_bus(self.links[0].carry(now, ready.max(out.done), bytes, rest));
                    command.joules[FlashOperation::Read as usize] = f64::from(out.pages) * self.energy.read_j;
                    command.hit = out.pages == 0;
                }
            }
            Media::Sheet(sheet) => {
                let turn = sheet.serve(now, bytes, op.write);
                let operation = if op.write { FlashOperation::Program } else { FlashOperation::Read };
                command.joules[operation as usize] = turn.joules;
                command.least = over_bus(turn.done);
                command.span = (turn.begins, turn.ends);
            }
        }
        self.written_bytes += if op.write { bytes } else { 0 };
        for (operation, joules) in operations(&command.joules) {
            meter.owe(command.cause, operation, joules);
        }
        // A power cap holds it up until what it uses has passed.
        command.least = command.least.max(meter.free_at());
        let gated = match &self.media {
            Media::Flash(flash) => command.gate.map_or(0, |gate| flash.time_of(gate)),
            Media::Sheet(_) => 0,
        };
        let done = command.least.max(gated);
        self.serving[command.cause as usize] += 1;
        let slot = if let Some(slot) = self.unused.pop() {
            self.commands[slot as usize] = command;
            slot
        } else {
            self.commands.push(command);
            (self.commands.len() - 1) as u32
        };
        self.wait_for(done, slot);
    }

    fn wait_for(&mut self, at: Nanos, slot: u32) {
        self.pending.push(Reverse((at, self.order, slot)));
        self.order += 1;
    }

    /// The earliest completion has come: ends that command, unless it is found to take longer.
    pub fn complete(&mut self, now: Nanos, drive: usize, observer: &mut Observer) -> Option<Completed> {
        let Reverse((_, _, slot)) = *self.pending.peek()?;
        let command = self.commands[slot as usize];
        if let (Some(gate), Media::Flash(flash)) = (command.gate, &self.media) {
            let at = flash.time_of(gate);
            if at > now {
                self.pending.pop();
                self.wait_for(at, slot);
                return None;
            }
        }
        self.account(now, drive, observer);
        self.pending.pop();
        self.serving[command.cause as usize] -= 1;
        self.unused.push(slot);
        let (from, until) = command.span;
        let until = if matches!(self.media, Media::Flash(_)) { now } else { until };
        self.book(&command, (from, until.max(from)), 1.0, drive, observer, now);
        Some(Completed { op: command.op, started: command.started, hit: command.hit })
    }

    fn book(
        &mut self,
        command: &Command,
        span: (Nanos, Nanos),
        share: f64,
        drive: usize,
        observer: &mut Observer,
        now: Nanos,
    ) {
        let mut meter = Meter::new(observer, drive, self.limit.as_deref_mut(), now);
        for (operation, joules) in operations(&command.joules) {
            let own = joules * share * (1.0 - command.redundant);
            meter.use_energy(command.cause, operation, own, span.0, span.1);
            if command.redundant > 0.0 {
                let rest = joules * share * command.redundant;
                meter.use_energy(Cause::Redundancy, operation, rest, span.0, span.1);
            }
        }
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
            let end = from + (u128::from(now - from) * u128::from(so_far) / u128::from(all)) as Nanos;
            observer.book(drive, Slot::Of(State::Active), cause, at, end);
            at = end;
        }
    }

    /// The run ends: books what has been used of what is under way.
    pub fn finish(&mut self, now: Nanos, drive: usize, observer: &mut Observer) {
        self.account(now, drive, observer);
        if self.before.is_none() {
            self.before = Some(self.totals());
        }
        let pending: Vec<(Nanos, u32)> =
            self.pending.iter().map(|Reverse((at, _, slot))| (*at, *slot)).collect();
        for (at, slot) in pending {
            let command = self.commands[slot as usize];
            let (from, until) = command.span;
            let until = if matches!(self.media, Media::Flash(_)) { at } else { until };
            let passed = now.clamp(from, until.max(from));
            if passed > from {
                let share = (passed - from) as f64 / (until - from) as f64;
                self.book(&command, (from, passed), share, drive, observer, now);
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

fn operations(joules: &[f64; FLASH_OPERATIONS]) -> impl Iterator<Item = (FlashOperation, f64)> + '_ {
    FlashOperation::ALL.into_iter().zip(*joules).filter(|(_, j)| *j > 0.0)
}
