//! A drive as words: its queue, what it does, and since when it rests.

use super::{Body, Drive, DriveOp, NO_OP};
use crate::canonical::Canon;
use crate::clock::Nanos;
use crate::power::Cause;

impl Drive {
    /// Writes the state at `now` of a disk without a power policy, between two events.
    pub fn canonical(&self, now: Nanos, out: &mut Canon) {
        let Self {
            index: _,
            pool: _,
            body,
            sector_bytes: _,
            queue,
            commands,
            rebuild_queue,
            waiting,
            coming,
            gives_way: _,
            failed,
            in_service,
            started: _, // for paths alone
            service,
            serving,
            bus: _,
            managed,
            spindle: _,
            models: _,
            idle_since,
            awake: _,
            rest_since,
            last_started: _,
            totals: _,
        } = self;
        let lean = commands.is_none() && managed.is_none() && service.is_none() && !failed;
        let Body::Disk(disk) = body else { return out.unlike_any() };
        if !lean || !rebuild_queue.is_empty() || *coming != 0 || *serving != 0 {
            return out.unlike_any();
        }
        out.word(*waiting as u64);
        queue.canonical(out);
        out.op(*in_service);
        // The end of a service sets both anew.
        let rests = if *in_service == NO_OP { *rest_since } else { now };
        if *in_service == NO_OP {
            out.word(*idle_since);
            out.word(*rest_since);
        }
        disk.canonical(now, rests, out);
    }
}

impl DriveOp {
    /// Writes an operation on a drive of `pool`.
    pub fn canonical(&self, pool: usize, out: &mut Canon) {
        let Self { lbn, sectors, arrived, drive, host, row, then, redundant, cause, write, trim, for_write } =
            *self;
        out.words([lbn, sectors, arrived]);
        out.small(drive);
        out.host(host);
        out.row(pool, row);
        out.op(then);
        out.small(redundant);
        let cause = Cause::ALL.iter().position(|&c| c == cause);
        out.maybe(cause.map(|number| number as u64));
        out.small(u8::from(write) | u8::from(trim) << 1 | u8::from(for_write) << 2);
    }
}
