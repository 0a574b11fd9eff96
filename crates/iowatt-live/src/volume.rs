//! A volume over labelled stores: made, checked, and put into service.

use crate::driver::{Mutant, Options, Part, Running, Stepped};
use crate::journal::{Found, Journal, Place};
use crate::label::{LABEL_BYTES, Label, LabelFault};
use crate::store::Store;
use iowatt_volume::{PlacementPlan, Scheme, SchemePlan, Schemes, VirtualPoolPlan};
use serde::Serialize;
use std::io;
use std::sync::Arc;
use thiserror::Error;

/// Data of a part begin at a multiple of this.
const ALIGN: u64 = 1 << 20;

/// A volume to be made.
#[derive(Clone, Debug)]
pub struct VolumeSpec {
    /// Its name.
    pub name: String,
    /// Its identity: 32 hexadecimal digits.
    pub uuid: String,
    /// The plan of the virtual pool, as JSON; part `n` of it is the store `n`.
    pub plan: String,
}

/// Why a volume cannot be made, checked or put into service.
#[derive(Debug, Error)]
pub enum VolumeError {
    /// The plan is wrong, or of a scheme that works in simulation only.
    #[error("{0}")]
    Plan(String),
    /// A store is too small.
    #[error("store {part} has {bytes} bytes, and needs {needed}")]
    Small {
        /// Which.
        part: usize,
        /// Its size.
        bytes: u64,
        /// What it must have.
        needed: u64,
    },
    /// A store has no readable label.
    #[error("{fault}")]
    Label {
        /// Which.
        part: usize,
        /// What is wrong.
        fault: LabelFault,
    },
    /// A store is of another volume, or another part of this one.
    #[error("{found}")]
    Foreign {
        /// Which.
        part: usize,
        /// What it is.
        found: String,
    },
    /// The journal or the map in it cannot be used.
    #[error("the map cannot be read: {0}")]
    Map(String),
    /// A store fails.
    #[error("store {part}: {error}")]
    Store {
        /// Which.
        part: usize,
        /// What the system says.
        error: io::Error,
    },
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The volume's name and identity.
    pub name: String,
    /// Its identity.
    pub uuid: String,
    /// Stores with one damaged copy of their label, which was written anew.
    pub labels_repaired: Vec<usize>,
    /// What the journal held; none where the scheme has no map.
    pub journal: Option<Found>,
    /// Extents of the map.
    pub extents: usize,
}

/// A volume whose labels and map have been read.
pub struct Volume {
    label: Label,
    stores: Vec<Arc<dyn Store>>,
    starts: Vec<u64>,
    damaged: Vec<usize>,
    scheme: Schemes,
    journal: Option<(Journal, Found)>,
}

fn parse(plan: &str) -> Result<VirtualPoolPlan, VolumeError> {
    let parsed: VirtualPoolPlan =
        serde_json::from_str(plan).map_err(|error| VolumeError::Plan(error.to_string()))?;
    parsed.validate(parsed.parts.len()).map_err(|error| VolumeError::Plan(error.to_string()))?;
    let refuse = |why: &str| Err(VolumeError::Plan(why.into()));
    match &parsed.scheme {
        SchemePlan::Linear {} => {}
        SchemePlan::Tiering(plan) => {
            if matches!(plan.initial.placement, PlacementPlan::Hot | PlacementPlan::FirstTouch)
                || plan.initial.extents.is_some()
            {
                return refuse(
                    "array.virtual_pool.initial: a live volume starts with \"random\" or \"cold\", and learns what is hot",
                );
            }
        }
        SchemePlan::Caching(plan) => {
            if plan.sector_bytes.is_some() {
                return refuse(
                    "array.virtual_pool.copy_unit: a live cache copies whole extents; set copy_unit = \"extent\"",
                );
            }
            if plan.initial.placement != PlacementPlan::Empty {
                return refuse("array.virtual_pool.initial: a live cache starts with \"empty\"");
            }
        }
        _ => {
            return refuse(
                "array.virtual_pool.scheme: live are linear, tiering and caching; this one works in simulation only",
            );
        }
    }
    Ok(parsed)
}

/// Why a label does not belong to store number `part` of `stores`, the first of which has the label `first`.
fn foreign(label: &Label, first: &Label, part: usize, stores: usize) -> Option<String> {
    let Label { name, uuid, part: own, parts, .. } = label;
    if *uuid != first.uuid {
        let other = &first.name;
        return Some(format!(
            "is of volume {name} ({uuid}), and the first store of {other} ({})",
            first.uuid
        ));
    }
    if *own != part {
        let (own, part) = (own + 1, part + 1);
        return Some(format!("is part {own} of {parts} of volume {name}, and is named as part {part}"));
    }
    let message = || format!("volume {name} has {parts} parts, and the stores that are named are {stores}");
    (*parts != stores).then(message)
}

/// Where the journal lies, if the scheme has a map of so many extents.
fn journal_place(extents: usize) -> Option<Place> {
    (extents > 0).then_some(Place { at: LABEL_BYTES, entries: extents as u64 })
}

fn of_first_store(error: io::Error) -> VolumeError {
    VolumeError::Store { part: 0, error }
}

/// First byte of the data of each part.
fn starts(parts: usize, extents: usize) -> Vec<u64> {
    let journal = journal_place(extents).map_or(0, Place::bytes);
    (0..parts)
        .map(|part| (LABEL_BYTES + if part == 0 { journal } else { 0 }).next_multiple_of(ALIGN))
        .collect()
}

impl Volume {
    /// Bytes that each store needs for a volume of this plan.
    ///
    /// # Errors
    /// Where the plan is wrong.
    pub fn needed_bytes(plan: &str) -> Result<Vec<u64>, VolumeError> {
        let plan = parse(plan)?;
        let extents = Schemes::new(&plan, 1, 0).map().len();
        let starts = starts(plan.parts.len(), extents);
        Ok(starts.iter().zip(&plan.parts).map(|(start, part)| start + part.capacity_bytes).collect())
    }

    /// Makes a volume: labels on all stores, and the journal on the first. What the stores hold is lost. Returns its bytes.
    ///
    /// # Errors
    /// Where the plan is wrong, or a store is too small or fails.
    pub fn create(spec: &VolumeSpec, stores: &[Arc<dyn Store>]) -> Result<u64, VolumeError> {
        let plan = parse(&spec.plan)?;
        let scheme = Schemes::new(&plan, 1, 0);
        let map = scheme.map();
        if stores.len() != plan.parts.len() {
            return Err(VolumeError::Plan(format!("{} parts, {} stores", plan.parts.len(), stores.len())));
        }
        let starts = starts(stores.len(), map.len());
        for (part, store) in stores.iter().enumerate() {
            let needed = starts[part] + plan.parts[part].capacity_bytes;
            if store.bytes() < needed {
                return Err(VolumeError::Small { part, bytes: store.bytes(), needed });
            }
        }
        let fails = |part: usize| move |error: io::Error| VolumeError::Store { part, error };
        if let Some(place) = journal_place(map.len()) {
            Journal::create(&*stores[0], place, map).map_err(fails(0))?;
        }
        for (part, store) in stores.iter().enumerate() {
            let label = Label {
                uuid: spec.uuid.clone(),
                name: spec.name.clone(),
                part,
                parts: stores.len(),
                data_at: starts[part],
                data_bytes: plan.parts[part].capacity_bytes,
                plan: spec.plan.clone(),
            };
            label.write(&**store).map_err(fails(part))?;
        }
        Ok(scheme.capacity_bytes())
    }

    /// Reads labels and map, and changes nothing.
    ///
    /// # Errors
    /// A store that is not what it is taken for, or whose map cannot be used.
    pub fn open(stores: &[Arc<dyn Store>]) -> Result<Self, VolumeError> {
        let fails = |part: usize| move |error: io::Error| VolumeError::Store { part, error };
        let (mut first, mut starts, mut damaged): (Option<Label>, _, _) = (None, Vec::new(), Vec::new());
        for (part, store) in stores.iter().enumerate() {
            let (label, whole) = Label::read(&**store)
                .map_err(fails(part))?
                .map_err(|fault| VolumeError::Label { part, fault })?;
            let of = first.get_or_insert_with(|| label.clone());
            if let Some(found) = foreign(&label, of, part, stores.len()) {
                return Err(VolumeError::Foreign { part, found });
            }
            let needed = label.data_at.saturating_add(label.data_bytes);
            if store.bytes() < needed {
                return Err(VolumeError::Small { part, bytes: store.bytes(), needed });
            }
            starts.push(label.data_at);
            if !whole {
                damaged.push(part);
            }
        }
        let label = first.ok_or_else(|| VolumeError::Plan("a volume has stores".into()))?;
        let mut scheme = Schemes::new(&parse(&label.plan)?, 1, 0);
        let journal = match journal_place(scheme.map().len()) {
            Some(place) => {
                let (journal, found) =
                    Journal::open(&*stores[0], place).map_err(|error| match error.kind() {
                        io::ErrorKind::InvalidData => VolumeError::Map(error.to_string()),
                        _ => VolumeError::Store { part: 0, error },
                    })?;
                scheme.restore(journal.map(), found.clean).map_err(VolumeError::Map)?;
                scheme.audit().map_err(VolumeError::Map)?;
                Some((journal, found))
            }
            None => None,
        };
        Ok(Self { label, stores: stores.to_vec(), starts, damaged, scheme, journal })
    }

    /// Its label.
    #[must_use]
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// Repairs what a check may: damaged copies of labels, and a torn batch or an older half of the journal by a new checkpoint.
    ///
    /// # Errors
    /// What a store says.
    pub fn check(mut self) -> Result<CheckReport, VolumeError> {
        let found = self.journal.as_ref().map(|(_, found)| found.clone());
        self.repair_labels()?;
        if let Some((journal, found)) = &mut self.journal
            && (found.torn || found.older_half)
        {
            let map = journal.map().to_vec();
            let clean = found.clean;
            journal
                .replace(&*self.stores[0], map, clean)
                .map_err(|error| VolumeError::Store { part: 0, error })?;
        }
        let Label { name, uuid, .. } = self.label;
        let extents = self.scheme.map().len();
        Ok(CheckReport { name, uuid, labels_repaired: self.damaged, journal: found, extents })
    }

    fn repair_labels(&self) -> Result<(), VolumeError> {
        for &part in &self.damaged {
            let label = Label {
                part,
                data_at: self.starts[part],
                ..Label::read(&*self.stores[part])
                    .map_err(|error| VolumeError::Store { part, error })?
                    .map_err(|fault| VolumeError::Label { part, fault })?
                    .0
            };
            label.write(&*self.stores[part]).map_err(|error| VolumeError::Store { part, error })?;
        }
        Ok(())
    }

    /// Puts the volume into service. From now on it counts as not stopped in order.
    ///
    /// # Errors
    /// What a store says, or the system where it gives no thread.
    pub fn start(self, options: Options) -> Result<Running, VolumeError> {
        let (scheme, parts, mut journal) = self.in_service()?;
        if let Some(journal) = &mut journal {
            options.checkpoint_after.into_iter().for_each(|blocks| journal.checkpoint_after(blocks));
            if options.mutant == Mutant::CheckpointBeforeData {
                journal.write_heads_first();
            }
        }
        Running::start(scheme, parts, journal, options).map_err(of_first_store)
    }

    /// The same, without a thread: tests take it through its work.
    ///
    /// # Errors
    /// As [`Self::start`].
    #[doc(hidden)]
    pub fn stepped(self) -> Result<Stepped, VolumeError> {
        let (scheme, parts, journal) = self.in_service()?;
        Ok(Stepped::new(scheme, parts, journal))
    }

    fn in_service(mut self) -> Result<(Schemes, Vec<Part>, Option<Journal>), VolumeError> {
        self.repair_labels()?;
        if let Some((journal, _)) = &mut self.journal {
            // A generation of its own, so that no block of a batch that was torn before is ever taken for a new one.
            journal.replace(&*self.stores[0], self.scheme.map(), false).map_err(of_first_store)?;
        }
        let parts = self.stores.into_iter().zip(self.starts);
        let parts = parts.map(|(store, data_at)| Part { store, data_at }).collect();
        let journal = self.journal.map(|(journal, _)| journal);
        Ok((self.scheme, parts, journal))
    }
}

impl std::fmt::Debug for Volume {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Volume").field("label", &self.label).finish_non_exhaustive()
    }
}
