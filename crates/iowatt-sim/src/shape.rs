//! What a plan asks of the engine, known when the engine is compiled: rooms that a plan does not have cost neither code nor
//! branches.
//!
//! There is one engine. It is compiled for each shape below; [`fitting!`] chooses the leanest one that has everything a
//! plan needs. A wider shape gives the same figures and takes longer.

/// Which rooms there may be. A constant that is `false` promises that there are none.
pub trait Shape: Copy {
    /// Paths, a controller (or its way to the drives alone) or virtual pools above the pools.
    const LAYERS: bool;
    /// Drives that serve several operations at once: flash, disks of two arms or with overlapping tracks.
    const FLASH: bool;
    /// What changes the life of a drive or a pool: power policies, failures and rebuilds, chunklets, several commands at a
    /// drive, a log of the requests to the pools.
    const MANAGED: bool;
}

macro_rules! shapes {
    ($($(#[$about:meta])* $name:ident: $layers:literal, $flash:literal, $managed:literal;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Shape for $name {
            const LAYERS: bool = $layers;
            const FLASH: bool = $flash;
            const MANAGED: bool = $managed;
        }
    )*};
}

shapes! {
    /// Pools of disks.
    Disks: false, false, false;
    /// Pools of disks and flash.
    Drives: false, true, false;
    /// The same behind a controller, paths or virtual pools.
    Layered: true, true, false;
    /// Everything.
    Full: true, true, true;
}

/// What a plan needs of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// See [`Shape::LAYERS`].
    pub layers: bool,
    /// See [`Shape::FLASH`].
    pub flash: bool,
    /// See [`Shape::MANAGED`].
    pub managed: bool,
}

impl Needs {
    /// Everything.
    pub const ALL: Self = Self { layers: true, flash: true, managed: true };
}

/// Evaluates an expression with `$shape` as the leanest shape that has what is needed.
macro_rules! fitting {
    ($needs:expr, $shape:ident => $run:expr) => {
        match $needs {
            $crate::shape::Needs { managed: true, .. } => {
                type $shape = $crate::shape::Full;
                $run
            }
            $crate::shape::Needs { layers: true, .. } => {
                type $shape = $crate::shape::Layered;
                $run
            }
            $crate::shape::Needs { flash: true, .. } => {
                type $shape = $crate::shape::Drives;
                $run
            }
            _ => {
                type $shape = $crate::shape::Disks;
                $run
            }
        }
    };
}
pub(crate) use fitting;
