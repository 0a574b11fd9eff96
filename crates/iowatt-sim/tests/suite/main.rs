//! What holds of whole simulations, by subject. One binary: each more would take seconds to link.

#[path = "../common/mod.rs"]
mod common;

mod array_services;
mod back_end;
mod chunklets;
mod closed_loops;
mod cluster;
mod commands;
mod controller;
mod course;
mod data_movement;
mod emulation;
mod erasure_codes;
mod heat;
mod idle_periods;
mod laws;
mod layers;
mod library;
mod mirror_reads;
mod nodes;
mod parity_log;
mod path;
mod plan_faults;
mod plan_schema;
mod power;
mod qos;
mod queueing;
mod raid;
mod recovery;
mod reduced;
mod replay;
mod replication;
mod response_series;
mod shapes;
mod spans;
mod special_disks;
mod ssd;
mod volumes;
mod write_cache;
mod zoned;
