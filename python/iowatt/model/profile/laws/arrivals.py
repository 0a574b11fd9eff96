"""Laws of arrival: when requests come."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field

from iowatt.base.quantity import Duration, Iops, Percent
from iowatt.base.strict import Strict, key
from iowatt.model.recorded_trace import TraceKeys

Sojourn = Literal["exponential", "fixed", "pareto"]


def _law(text: str) -> Any:
    return key(f"The law of arrivals. {text}")


def _rate() -> Any:
    return key(
        "Requests per second, the mean over the long run.",
        unset="to be given: --rate, or rate_iops in a scenario",
        unit="IOPS",
        example=500,
    )


def _sojourn() -> Any:
    return key(
        "How long a state lasts: exactly its mean (fixed), exponentially, or by Pareto's law, whose long "
        "states make bursts on all time scales.",
        default="exponential",
        example="pareto",
    )


def _shape() -> Any:
    return key("Shape of Pareto's law, above 1; near 1 is burstier.", default=1.5, gt=1, le=100, example=1.4)


class State(Strict):
    """A state of a modulation."""

    factor: float = key("What the rate is multiplied by, relative to the other states.", ge=0, example=4)
    mean: Duration = key("Mean time in the state.", gt=0, example="2s")


class Modulation(Strict):
    """A rate that changes at random between states; its mean stays."""

    states: list[State] = key("The states, visited in turn.", min_length=2, max_length=1000)
    sojourn: Sojourn = _sojourn()
    shape: float = _shape()

    def plan(self) -> dict[str, Any]:
        """The modulation for the generator, with a mean factor of 1."""
        total = math.fsum(state.mean for state in self.states)
        mean = math.fsum(state.mean * state.factor for state in self.states) / total
        return {
            "states": [{"factor": s.factor / mean, "mean_s": s.mean} for s in self.states],
            "sojourn": sojourn_plan(self.sojourn, self.shape),
        }


def sojourn_plan(law: Sojourn, shape: float) -> dict[str, Any]:
    """The law of sojourns for the generator."""
    return {"law": law, "shape": shape} if law == "pareto" else {"law": law}


class ArrivalLaw(Strict):
    """What all laws have in common."""

    stay: float = key(
        "Mean number of successive requests of one stream before another is drawn (geometric); shares stay.",
        default=1.0,
        ge=1,
        example=4,
    )

    @property
    def mean_rate(self) -> float | None:
        """IOPS in the long run; None where completions or recorded stamps set it, or it is not given."""
        return getattr(self, "rate", None)


class OpenLaw(ArrivalLaw):
    """What laws have in common that give each request a time of its own."""

    modulation: Modulation | None = key(
        "States between which the rate changes at random.", unset="the rate does not change"
    )


class Constant(OpenLaw):
    """Equal gaps."""

    law: Literal["constant"] = _law("constant: equal gaps.")
    rate: Iops | None = _rate()

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {"law": "constant", "rate": self.rate}


class Poisson(OpenLaw):
    """Exponential gaps."""

    law: Literal["poisson"] = _law("poisson: exponential gaps.")
    rate: Iops | None = _rate()

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {"law": "poisson", "rate": self.rate}


class HyperPhase(Strict):
    """One exponential of a mixture."""

    share: Percent = key("Share of gaps that it makes.", gt=0, example=90)
    rate: Iops = key("Its rate.", example=2000)


class HyperExponential(OpenLaw):
    """A mixture of exponential gaps, burstier than Poisson."""

    law: Literal["hyper-exponential"] = _law(
        "hyper-exponential: each gap is exponential with the rate of a phase drawn for it."
    )
    rate: Iops | None = _rate()
    cv: float | None = key(
        "Coefficient of variation of the gaps; with rate it gives two phases of equal load.",
        unset="phases are given",
        within=(1, 1000),
        example=3.8,
    )
    phases: list[HyperPhase] | None = key(
        "The phases themselves; shares add up to 100.", unset="made from rate and cv", min_length=1
    )

    @property
    def mean_rate(self) -> float | None:
        """``rate``, or that of the phases."""
        if self.rate is None and self.phases:
            return 1 / math.fsum(phase.share / 100 / phase.rate for phase in self.phases)
        return self.rate

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        if self.phases is not None:
            given = [(phase.share / 100, phase.rate) for phase in self.phases]
            if self.rate is not None:  # the phases give the form, the rate the speed
                scale = self.rate * math.fsum(p / r for p, r in given)
                given = [(p, r * scale) for p, r in given]
        else:
            squared = (self.cv or 1.0) ** 2
            p = (1 + math.sqrt((squared - 1) / (squared + 1))) / 2
            rate = self.rate or 0.0
            given = [(q, 2 * q * rate) for q in (p, 1 - p)]
        return {"law": "hyper-exponential", "phases": [{"weight": p, "rate": r} for p, r in given]}


class Batch(OpenLaw):
    """Batches of requests."""

    law: Literal["batch"] = _law(
        "batch: batches of requests a fixed spacing apart, exponential gaps between."
    )
    rate: Iops | None = _rate()
    mean_requests: float = key("Mean requests of a batch (geometric).", within=(1, 1e9), example=8)
    spacing: Duration = key("Between the requests of a batch.", default=0.0, example="100us")

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        batch = {"mean_requests": self.mean_requests, "spacing_s": self.spacing}
        return {"law": "batch", "rate": self.rate, **batch}


Uneven = Annotated[float, Field(ge=-1, le=1)]


class Cascade(OpenLaw):
    """Counts divided over ever shorter times, as unevenly as each scale asks for."""

    law: Literal["cascade"] = _law(
        "cascade: the requests of a window are divided between its halves, those between theirs, and so on, "
        "each time as unevenly as given; so the counts have a given variance on every scale."
    )
    rate: Iops | None = _rate()
    window: Duration = key(
        "The window that is divided first; phases and envelopes cut it.", gt=0, example="10s"
    )
    unevenness: list[Annotated[list[Uneven], Field(min_length=1, max_length=24)]] = key(
        "Of each halving, the window's first, by the count: of 2 to 3 requests, 4 to 7, ..., the last of all "
        "more. 0: each request independently, as by Poisson's law; 1: all in one half; below 0: more evenly "
        "than that.",
        max_length=64,
        example=[[0.1], [0.2, 0.1], [0.3, 0.2, 0.1]],
    )

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        shape = {"window_s": self.window, "unevenness": self.unevenness}
        return {"law": "cascade", "rate": self.rate, **shape}


class OnOff(ArrivalLaw):
    """Poisson while on, nothing while off."""

    law: Literal["on-off"] = _law("on-off: exponential gaps while on, nothing while off.")
    rate: Iops | None = _rate()
    on: Duration = key("Mean time on.", gt=0, example="100ms")
    off: Duration = key("Mean time off.", gt=0, example="900ms")
    sojourn: Sojourn = _sojourn()
    shape: float = _shape()

    def plan(self) -> dict[str, Any]:
        """The law for the generator."""
        return {"law": "poisson", "rate": self.rate}

    @property
    def modulation(self) -> Modulation:
        """On and off as states."""
        on = State.model_construct(factor=1.0, mean=self.on)
        off = State.model_construct(factor=0.0, mean=self.off)
        return Modulation.model_construct(states=[off, on], sojourn=self.sojourn, shape=self.shape)


class Recorded(ArrivalLaw):
    """The stamps of a recorded trace."""

    law: Literal["recorded"] = _law("recorded: the stamps of a trace; the profile gives all else.")
    trace: TraceKeys = key("The trace whose stamps are taken.", example={"path": "traces/oltp.csv.gz"})
    speed: float = key(
        "Time compression: 2.0 arrives twice as fast.", default=1.0, within=(1e-6, 1e6), example=2.0
    )


class Closed(ArrivalLaw):
    """A fixed number of requests is kept outstanding."""

    law: Literal["closed"] = _law(
        "closed: a fixed number of requests is outstanding; the next follows a completion after a think time."
    )
    outstanding: int = key("Number of outstanding requests.", within=(1, 2**32 - 1), example=32)
    think: Duration = key("Mean time from a completion to the next request.", default=0.0, example="10ms")
    think_law: Literal["exponential", "fixed"] = key(
        "Distribution of the think time.", default="exponential", example="fixed"
    )


Rated = Constant | Poisson | HyperExponential | Batch | Cascade | OnOff
Arrivals = Annotated[
    Constant | Poisson | HyperExponential | Batch | Cascade | OnOff | Recorded | Closed,
    Field(discriminator="law"),
]
OwnArrivals = Annotated[
    Constant | Poisson | HyperExponential | Batch | Cascade | OnOff, Field(discriminator="law")
]
