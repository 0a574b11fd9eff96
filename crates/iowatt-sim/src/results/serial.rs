//! Why a run was not simulated in parts on several threads.

/// Why a run is simulated on one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serial {
    /// No more were given.
    OneThread,
    /// A workload is a closed loop: when its requests arrive follows from all that was before.
    ClosedLoops,
    /// Paths, a controller or virtual pools remember too much.
    Layers,
    /// Flash does, and a shingled disk: their maps.
    Flash,
    /// Power policies, failures, chunklets, command queues or a log of the back end.
    Managed,
    /// It is one part.
    Short,
    /// Too many parts had to be simulated again: queues grow, or something is remembered for long.
    StatesDiffer,
}

impl Serial {
    /// Its name in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OneThread => "one-thread",
            Self::ClosedLoops => "closed-loops",
            Self::Layers => "layers",
            Self::Flash => "flash",
            Self::Managed => "managed",
            Self::Short => "short",
            Self::StatesDiffer => "states-differ",
        }
    }
}
