"""Idle periods as a document, ``iowatt.idle/1``: times in s, energy in J, power in W, shares from 0 to 1."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument

LawName = Literal["exponential", "hyper-exponential", "weibull", "log-normal", "pareto", "bounded-pareto"]


class LongPeriods(Result):
    """Periods longer than ``length_s``."""

    length_s: float
    periods: int
    share_of_periods: float
    share_of_idle_time: float
    #: Of the window of all drives.
    share_of_time: float


class DriveIdle(Result):
    """The idle periods of one drive; mean and ``cv`` are of those known whole, None where there are none."""

    name: str
    periods: int
    #: Cut by the window.
    cut: int
    mean_s: float | None
    #: Standard deviation over mean.
    cv: float | None
    longest_s: float
    idle_s: float
    idle_share: float
    over_60s_share: float


class DriveAutocorrelation(Result):
    """Coefficients of one drive, lag 1 first; None at lags for which it has too few periods."""

    name: str
    r: list[float | None]


class Autocorrelation(Result):
    """Mean and standard deviation (population) over drives at each of ``lags``."""

    lags: list[int]
    #: Drives with enough periods for the lag.
    drives: list[int]
    mean: list[float]
    sigma: list[float]
    #: Band of 95 % of the coefficients of independent periods.
    noise_95: float | None
    #: The drives with fewest and with most periods.
    disks: list[DriveAutocorrelation]


class LengthCurve(Result):
    """Share of the periods, and of the idle time, in periods up to ``length_s``; ends at 1."""

    length_s: list[float]
    periods: list[float]
    idle_time: list[float]


class DriveLengthCurve(Result):
    """The same of one drive."""

    name: str
    length_s: list[float]
    periods: list[float]
    idle_time: list[float]


class LengthDistribution(Result):
    """Of all drives, and of those with fewest and with most periods; None without periods."""

    all: LengthCurve
    fewest: DriveLengthCurve | None = None
    most: DriveLengthCurve | None = None

    @property
    def extremes(self) -> dict[str, DriveLengthCurve]:
        """The two drives by their role."""
        return {
            role: curve for role, curve in (("fewest", self.fewest), ("most", self.most)) if curve is not None
        }


class FittedLengthLaw(Result):
    """A law fitted by maximum likelihood to the whole periods of all drives."""

    law: LawName
    #: By name; lengths in s. A list where the law has phases.
    parameters: dict[str, float | list[float]]
    mean_s: float | None
    log_likelihood: float
    #: Akaike information criterion.
    aic: float
    #: Greatest distance between the distribution functions (Kolmogorov-Smirnov).
    ks_distance: float
    #: Distribution function at the lengths of the distribution over all drives.
    curve: list[float]


class DrivePower(Result):
    """The power figures that the policies use; the joules of a transition are all that it draws."""

    name: str
    idle_w: float
    standby_w: float
    spin_down_s: float
    spin_down_j: float
    spin_up_s: float
    spin_up_j: float
    #: None where stopping never pays.
    break_even_s: float | None


class PolicyOutcome(Result):
    """What a policy makes of these periods; savings are against idling through them."""

    policy: str
    title: str
    #: Whether it knows how long each period will be, as no real drive does.
    oracle: bool
    energy_j: float
    saved_j: float
    saved_share: float
    #: Of all that the drives of the Run drew; None for other drives than its own.
    saved_share_of_total: float | None
    #: Arrivals that wait for a spin-up.
    delayed: int
    delayed_share: float
    added_delay_per_access_s: float | None
    added_delay_per_period_s: float
    added_delay_of_delayed_s: float | None
    added_delay_max_s: float
    start_stops: int


class OraclePoint(Result):
    """Savings of both oracles if stopping and starting took ``transition_s`` together, at the same watts."""

    transition_s: float
    energy_saved_share: float
    energy_saved_share_of_total: float | None
    latency_saved_share: float
    latency_saved_share_of_total: float | None


class IdlePeriods(ResultDocument):
    """The idle periods of a Run's drives, and what power management could make of them."""

    schema_id: Literal["iowatt.idle/1"] = Field(default="iowatt.idle/1", alias="schema")
    run: str
    path: str | None
    window_s: float
    periods: int
    #: Known by length alone, not one by one.
    counted: int
    #: Cut by the window.
    cut: int
    idle_s: float
    idle_share: float
    longer: list[LongPeriods]
    devices: list[DriveIdle]
    autocorrelation: Autocorrelation
    distribution: LengthDistribution
    fits: list[FittedLengthLaw]
    drives: list[DrivePower]
    policies: list[PolicyOutcome]
    oracle_bound: list[OraclePoint]
    notes: list[Note]
