//! The storage simulator. No I/O, no Python, no names: a [`Plan`] and sources of requests in, figures and columns out.
//!
//! [`Simulation::new`] builds the system of a plan, [`Simulation::run`] runs it and returns an [`Outcome`]. A request goes
//! arrival -> path -> controller -> volume -> RAID -> drive -> bus and back, a module each; every drive books its joules in
//! one ledger (`power`), and `observe` records what the results are made of. An [`Emulation`] is the drives alone, for who moves real bytes meanwhile. [`replay`] serves the requests of a measured
//! trace on one drive alone.

mod arrival;
mod back_end_log;
mod bus;
mod canonical;
mod clock;
mod cluster;
mod controller;
mod device;
mod divisor;
mod engine;
mod error;
mod event;
mod library;
mod observe;
mod path;
mod plan;
mod power;
mod qos;
mod raid;
mod replication;
mod results;
mod shape;
mod state;
mod station;
mod volume;

use iowatt_volume::{grain, recency, rng, slab};

pub use arrival::BATCH;
pub use back_end_log::{BackEndRow, BackEndSink};
pub use device::replay;
pub use engine::{Emulation, Progress, Simulation, Transfer, Way};
pub use error::SimError;
pub use observe::{IdlePeriod, IdleSink};
pub use plan::{HddPlan, Plan, PlanError, PlanFault, SchedulerPlan};
pub use power::Foreseen;
pub use results::{Column, Outcome, Serial, Summary, Table, VirtualPoolResult};

/// Parts that the integration tests of this crate look at. Not part of the interface.
#[doc(hidden)]
pub mod testing {
    pub use crate::plan::{ClusterPlan, DevicePlan, FailingUnit, NodeFailurePlan, ParityLayout, RaidLevel};
    pub use crate::power::Window;
    pub use crate::raid::Layout;
    pub use crate::results::{
        CacheResult, ClusterPoolResult, ClusterResult, ControllerResult, DriveResult, FlashResult,
        MoveResult, NodeResult, PortResult, StationResult,
    };
    pub use crate::station::Station;
}
