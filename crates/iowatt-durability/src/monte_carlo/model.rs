//! What a group is, as trials need it.

use crate::code::Code;
use crate::hazard::{Frailty, Hazard};
use crate::plan::{DomainPlan, GroupPlan};

/// A group and what follows from its plan.
#[derive(Debug)]
pub struct Model<'a> {
    pub group: &'a GroupPlan,
    pub code: &'a Code,
    pub hazard: Hazard,
    /// Age of all drives at the start.
    pub age: f64,
    pub batches: u32,
    pub frailty: Option<Frailty>,
    /// Failures a second that destroy members, by domain.
    pub unit_rates: Vec<f64>,
    pub units_rate: f64,
    /// Whether drives of one batch differ by when they came.
    pub ages: bool,
    /// Class and number of each member's cell.
    pub cells: Vec<(usize, u32)>,
}

impl<'a> Model<'a> {
    pub fn new(group: &'a GroupPlan, code: &'a Code) -> Self {
        let (hazard, age) = Hazard::new(&group.life);
        let rate = |d: &DomainPlan| f64::from(d.units) * d.failures_per_s * d.lost_share;
        let unit_rates: Vec<f64> = group.domains.iter().map(rate).collect();
        let frailty = group.batches.as_ref().map(Frailty::new);
        Self {
            age,
            batches: group.batches.map_or(1, |plan| plan.batches.min(group.members)),
            ages: frailty.is_some() || !matches!(hazard, Hazard::Constant(_)),
            frailty,
            units_rate: unit_rates.iter().sum(),
            unit_rates,
            cells: (0..group.members).map(|member| code.cell(group, member)).collect(),
            hazard,
            group,
            code,
        }
    }
}
