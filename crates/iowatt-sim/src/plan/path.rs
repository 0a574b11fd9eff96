//! The way from a workload's hosts to the array: what a request passes there and back.

use iowatt_volume::PlanFault::{Conflict, Count, Range, Reference};
use iowatt_volume::{PlanError, Under, at_least_zero, check};
use serde::Deserialize;

/// A path of equal lanes between hosts and the array.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PathPlan {
    /// Equal lanes: each has its own HBA, hops and target port. Requests take turns over them.
    pub lanes: usize,
    /// Most commands of a lane outstanding, from the HBA to completion; more wait at the host. None: no limit.
    pub queue_depth: Option<u32>,
    /// The HBA of a lane; none: it takes no time.
    pub host: Option<HostAdapterPlan>,
    /// Links and switches from the host to the array, in that order.
    pub hops: Vec<HopPlan>,
    /// The target port of a lane.
    pub port: PortPlan,
    /// What is sent for a read and a write.
    pub exchange: ExchangePlan,
    /// Data is sent in segments of so many bytes, which take turns with the messages of other requests at the sender;
    /// none: a message is sent whole.
    #[serde(default)]
    pub segment_bytes: Option<u64>,
    /// The hop (a switch) at which response times are observed, too.
    #[serde(default)]
    pub observed_hop: Option<usize>,
}

/// Times of a host bus adapter.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HostAdapterPlan {
    /// Seconds to send a command.
    pub submit_s: f64,
    /// Seconds to answer the array's readiness with data.
    pub ready_s: f64,
    /// Seconds to complete a request.
    pub complete_s: f64,
    /// What works on these at a time.
    pub processors: usize,
}

/// A link or a switch, the same in both directions, which do not share it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HopPlan {
    /// Bytes per second on the wire; none: only latency.
    pub bytes_per_s: Option<f64>,
    /// Bytes of a message that a full frame carries.
    pub frame_payload_bytes: u32,
    /// Bytes that a full frame takes on the wire, headers and gap included; other frames have the same overhead.
    pub frame_wire_bytes: u32,
    /// Seconds from the first bit in to the first bit out, propagation included.
    pub latency_s: f64,
    /// Buffers of the far end, a frame each: a frame is sent when one is known to be free. None: as many as are needed.
    #[serde(default)]
    pub credits: Option<u32>,
    /// Whether a frame is passed on only once it is there whole (store and forward).
    pub whole_frames: bool,
}

/// A target port.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PortPlan {
    /// Seconds for each command.
    pub command_s: f64,
    /// Commands worked on at a time.
    pub processors: usize,
    /// Buffers that wait for writes, by size class in ascending order: the port answers such a write by itself.
    #[serde(default)]
    pub express: Vec<ExpressPlan>,
}

/// Buffers that are allocated before their writes come.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExpressPlan {
    /// Largest write of the class, bytes.
    pub up_to_bytes: u64,
    /// Buffers of a lane's port.
    pub buffers: u32,
}

/// Messages of a request. A read: command, then data and response. A write: command with the data that may go with it, then
/// for each burst of the rest the array's readiness and the data, then the response.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExchangePlan {
    /// Bytes of a command.
    pub command_bytes: u64,
    /// Bytes of the message that asks for data.
    pub ready_bytes: u64,
    /// Bytes of a response; 0: of reads, it is in the data.
    pub response_bytes: u64,
    /// Bytes of a response to a write, where it differs.
    #[serde(default)]
    pub write_response_bytes: Option<u64>,
    /// Data that may go with the command of a write.
    pub unsolicited_bytes: u64,
    /// Whether only a write that fits whole goes so; else the first part of any write does.
    pub whole_only: bool,
    /// Most data for one readiness; none: all of it.
    pub burst_bytes: Option<u64>,
    /// The hop that answers a write itself (FC fast write), so that data needs no second round trip over what lies behind.
    #[serde(default)]
    pub fast_write_hop: Option<usize>,
}

impl ExchangePlan {
    /// Data that goes with the command of a write of `size` bytes.
    #[must_use]
    pub fn with_command(&self, size: u64) -> u64 {
        if self.whole_only && size > self.unsolicited_bytes { 0 } else { size.min(self.unsolicited_bytes) }
    }

    /// Bytes of the response to a read or a write.
    #[must_use]
    pub fn response(&self, write: bool) -> u64 {
        self.write_response_bytes.filter(|_| write).unwrap_or(self.response_bytes)
    }
}

impl PathPlan {
    /// Whether the plan is consistent with itself.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), PlanError> {
        check(self.lanes > 0, Range, "lanes", "must be at least 1")?;
        check(self.queue_depth != Some(0), Range, "queue_depth", "must be at least 1")?;
        check(self.hops.len() < 1_000, Count, "hops", "must be fewer than 1,000")?;
        self.host.map_or(Ok(()), |host| host.validate()).under("host")?;
        for (number, hop) in self.hops.iter().enumerate() {
            hop.validate().under_item("hops", number)?;
        }
        self.port.validate().under("port")?;
        check(self.segment_bytes != Some(0), Range, "segment_bytes", "must be at least 1")?;
        self.exchange.validate().under("exchange")?;
        let exists = |hop: Option<usize>| hop.is_none_or(|hop| hop < self.hops.len());
        let message = "the path has no such hop";
        check(exists(self.exchange.fast_write_hop), Reference, "exchange.fast_write_hop", message)?;
        check(exists(self.observed_hop), Reference, "observed_hop", message)
    }
}

impl HostAdapterPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.processors > 0, Range, "processors", "must be at least 1")?;
        for (field, time) in
            [("submit_s", self.submit_s), ("ready_s", self.ready_s), ("complete_s", self.complete_s)]
        {
            check(at_least_zero(time), Range, field, "must be at least 0")?;
        }
        Ok(())
    }
}

impl HopPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.bytes_per_s.is_none_or(|b| b > 0.0), Range, "bytes_per_s", "must be positive")?;
        check(at_least_zero(self.latency_s), Range, "latency_s", "must be at least 0")?;
        check(self.credits != Some(0), Range, "credits", "must be at least 1")?;
        check(
            0 < self.frame_payload_bytes && self.frame_payload_bytes <= self.frame_wire_bytes,
            Range,
            "frame_payload_bytes",
            "must be at least 1 and at most frame_wire_bytes",
        )
    }
}

impl PortPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(at_least_zero(self.command_s), Range, "command_s", "must be at least 0")?;
        check(self.processors > 0, Range, "processors", "must be at least 1")?;
        let classes = &self.express;
        check(
            classes.iter().all(|class| class.up_to_bytes > 0),
            Range,
            "express",
            "up_to_bytes must be at least 1",
        )?;
        check(
            classes.windows(2).all(|pair| pair[0].up_to_bytes < pair[1].up_to_bytes),
            Conflict,
            "express",
            "up_to_bytes must increase from class to class",
        )
    }
}

impl ExchangePlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.command_bytes > 0, Range, "command_bytes", "must be at least 1")?;
        check(self.ready_bytes > 0, Range, "ready_bytes", "must be at least 1")?;
        check(self.response(true) > 0, Range, "write_response_bytes", "must be at least 1")?;
        check(self.burst_bytes != Some(0), Range, "burst_bytes", "must be at least 1")
    }
}
