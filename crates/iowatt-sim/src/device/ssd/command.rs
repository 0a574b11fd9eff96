//! A command in service, and the energy that it uses by itself.

use super::buffered::Gate;
use super::meter::Meter;
use crate::clock::Nanos;
use crate::power::{Cause, FlashOperation};

/// Joules of a command; what its programs use is the dies'.
#[derive(Clone, Copy, Debug, Default)]
pub struct Energy {
    /// Of what it does to the media by itself: pages sensed; of a data sheet, all.
    pub media: f64,
    /// Of its bytes to or from the host.
    pub transfer: f64,
    /// Of the command.
    pub command: f64,
}

/// A command in service.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Key of its operation.
    pub op: u32,
    /// When it was taken into service.
    pub started: Nanos,
    /// Work of a die that it waits for.
    pub gate: Gate,
    /// When its energy is used; on flash, until it is done.
    pub span: (Nanos, Nanos),
    /// What it is for.
    pub cause: Cause,
    /// Direction.
    pub write: bool,
    /// It needed no flash.
    pub hit: bool,
    /// Share of it that is for redundancy.
    pub redundant: f64,
    /// What it uses.
    pub energy: Energy,
}

impl Command {
    /// What it uses, by operation.
    #[inline]
    pub fn each(&self, mut add: impl FnMut(FlashOperation, f64)) {
        let Energy { media, transfer, command } = self.energy;
        let on_media = if self.write { FlashOperation::Program } else { FlashOperation::Read };
        let parts =
            [(on_media, media), (FlashOperation::Transfer, transfer), (FlashOperation::Command, command)];
        for (operation, joules) in parts {
            if joules > 0.0 {
                add(operation, joules);
            }
        }
    }

    /// Books the share `share` of what it uses, over a span.
    #[inline]
    pub fn book(&self, share: f64, (from, until): (Nanos, Nanos), meter: &mut Meter<'_>) {
        let Self { cause, redundant, .. } = *self;
        self.each(|operation, joules| {
            meter.use_energy(cause, operation, joules * share * (1.0 - redundant), from, until);
            if redundant > 0.0 {
                meter.use_energy(Cause::Redundancy, operation, joules * share * redundant, from, until);
            }
        });
    }
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
