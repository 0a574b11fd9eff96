"""When idle drives change their power level: one table for each policy of iowatt-power."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from pydantic import Field, field_validator, model_validator

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import Duration, Share
from iowatt.base.strict import Strict, key
from iowatt.model.library.electrical import STANDBY, Ladder

#: Most coefficients of a time series model.
_MOST_TERMS: Final = 12


class Batching(Strict):
    """Requests wait at a drive that is not ready, to be served together."""

    max_wait: Duration = key(
        "Maximum wait of the oldest held request before the drive is woken.", example="5s"
    )
    max_requests: int | None = key(
        "Number of held requests that wakes the drive earlier.",
        unset="only max_wait wakes it",
        within=(1, 2**31),
        example=50,
    )


class StaggerKeys(Strict):
    """Spin-ups that follow one another."""

    at_once: int = key(
        "Maximum number of drives of the pool that spin up at once.", within=(1, 100_000), example=2
    )


class NeverPolicy(Strict):
    """Idle drives go on spinning."""

    policy: Literal["never"] = key(
        "The policy. never: idle drives keep spinning. fixed-threshold, two-competitive, adaptive and share: "
        "they enter one lower level after an idle time. arima and law-driven: they predict the length of the "
        "idle period and return before the next arrival. oracle-energy and oracle-latency: they know its "
        "length. multi-level: they step down level by level. multi-speed: they reduce spindle speed.",
        example="never",
    )


def _to(description: str = "") -> Any:
    return key(
        f"Level that the drive enters: standby, or the name of one of its levels.{description}",
        default=STANDBY,
        example="standby",
        min_length=1,
    )


class _Waking(Strict):
    """What every policy that a request may have to wait for can have."""

    batching: Batching | None = key(
        "Hold requests at a drive in a level that cannot serve, to lengthen idle periods at the cost of "
        "response time.",
        unset="the first request wakes the drive",
        example={"max_wait": "5s", "max_requests": 50},
    )
    stagger: StaggerKeys | None = key(
        "Staggered spin-up, to limit the peak power of starting motors.",
        unset="no limit",
        example={"at_once": 2},
    )


class FixedThresholdPolicy(_Waking):
    """Idle drives change their level after a fixed time."""

    policy: Literal["fixed-threshold"] = key(
        "The policy. fixed-threshold: drives enter a lower level after a fixed idle time.",
        example="fixed-threshold",
    )
    threshold: Duration = key("Idle time before the change.", example="10s")
    to: str = _to()


class TwoCompetitivePolicy(_Waking):
    """Idle drives change their level after the break-even time."""

    policy: Literal["two-competitive"] = key(
        "The policy. two-competitive: the threshold is the break-even time, which costs at most twice the "
        "oracle's energy.",
        example="two-competitive",
    )
    to: str = _to()
    randomised: bool = key(
        "Draw a random threshold for each idle period, up to the break-even time; the mean cost is then at "
        "most 1.58 times the oracle's if transitions are short.",
        default=False,
        example=True,
    )


class AdaptivePolicy(_Waking):
    """Idle drives change their level after a time that follows from past waits."""

    policy: Literal["adaptive"] = key(
        "The policy. adaptive: the threshold rises after a spin-up that is long relative to the idle time "
        "before it, and falls otherwise (Douglis et al. 1995).",
        example="adaptive",
    )
    to: str = _to()
    initial: Duration = key("Initial threshold.", default=10.0, example="10s")
    acceptable: Share = key(
        "Longest acceptable wait, as a share of the preceding idle time.",
        default=0.05,
        example=0.05,
    )
    raise_by: Duration = key("Increase after an unacceptable wait.", default=1.0, example="1s")
    lower_by: Duration = key("Decrease after an acceptable wait.", default=0.5, example="500ms")
    least: Duration = key("Minimum threshold.", default=1.0, example="1s")
    most: Duration = key("Maximum threshold.", default=300.0, example="5min")


class SharePolicy(_Waking):
    """Idle drives change their level after the weighted mean of many experts' timeouts."""

    policy: Literal["share"] = key(
        "The policy. share: fixed timeouts from 0 to the break-even time vote with weights that follow from "
        "what each would have cost (Helmbold et al. 2000).",
        example="share",
    )
    to: str = _to()
    experts: int = key("Number of timeouts.", default=100, within=(2, 10_000), example=100)
    learning_rate: float = key(
        "How fast losses reduce weights (eta).", default=4.0, gt=0, le=1000, example=4.0
    )
    share: float = key(
        "Share of a losing expert's weight that is redistributed (alpha).",
        default=0.08,
        ge=0,
        lt=1,
        example=0.08,
    )


class _Predicting(_Waking):
    """What policies that predict the length of idle periods have."""

    certainty: float = key(
        "Target share of arrivals that find the drive ready again, as far as the prediction holds. More "
        "certainty saves less energy. 0: the request wakes the drive.",
        default=0.5,
        ge=0,
        lt=1,
        example=0.9,
    )
    memory: int = key(
        "Number of past idle periods considered; older ones fade out.",
        default=500,
        within=(10, 10**9),
        example=500,
    )


class ArimaPolicy(_Predicting):
    """Idle drives change their level by a forecast from the series of idle periods, and come back in time."""

    policy: Literal["arima"] = key(
        "The policy. arima: a time series model forecasts the next idle period; drives stop if similar "
        "forecasts were followed by long enough periods, and start again before most of those ended.",
        example="arima",
    )
    to: str = _to()
    autoregressive: int = key("Past values in the model (p).", default=1, within=(0, 12), example=3)
    differences: int = key("How often the series is differenced (d).", default=1, within=(0, 2), example=0)
    moving_average: int = key("Past residuals in the model (q).", default=1, within=(0, 12), example=1)

    @model_validator(mode="after")
    def _order(self) -> ArimaPolicy:
        if self.autoregressive + self.moving_average > _MOST_TERMS:
            message = f"`autoregressive` and `moving_average` add up to more than {_MOST_TERMS}"
            raise BadValueError("out-of-range", None, message)
        return self


class LawDrivenPolicy(_Predicting):
    """Idle drives change their level by the law of past idle periods, and come back in time."""

    policy: Literal["law-driven"] = key(
        "The policy. law-driven: a distribution fitted to past idle periods decides when stopping pays, "
        "given the idle time so far, and when to start again.",
        example="law-driven",
    )
    to: str = _to()
    law: Literal[
        "best",
        "exponential",
        "hyper-exponential",
        "weibull",
        "log-normal",
        "pareto",
        "bounded-pareto",
        "observed",
    ] = key(
        "The distribution, one of those that `iowatt idle` fits. observed: the empirical one. best: "
        "the best fit to past periods (Akaike's criterion).",
        default="best",
        example="weibull",
    )


class OracleEnergyPolicy(Strict):
    """Drives know how long they will be idle, and draw least."""

    policy: Literal["oracle-energy"] = key(
        "The policy. oracle-energy: drives know how long they will be idle, change level only if that "
        "saves energy, and return in time. A bound, found by simulating twice.",
        example="oracle-energy",
    )
    to: str = _to(" any: the one with the lowest energy in each period.")


class OracleLatencyPolicy(Strict):
    """Drives know how long they will be idle, and change their level whenever they can be back in time."""

    policy: Literal["oracle-latency"] = key(
        "The policy. oracle-latency: drives know how long they will be idle, and change level whenever they "
        "can return in time, even if that saves no energy (the rule of the arrays2002 study).",
        example="oracle-latency",
    )
    to: str = _to()


def _timers(value: dict[str, float]) -> dict[str, float]:
    if not value:
        message = 'must not be empty; give at least one level, such as timers = { standby = "10min" }'
        raise BadValueError("missing", None, message)
    return value


class MultiLevelPolicy(_Waking):
    """Idle drives go deeper level by level."""

    policy: Literal["multi-level"] = key(
        "The policy. multi-level: drives step down level by level, like the idle conditions of SAS and ATA "
        "drives.",
        example="multi-level",
    )
    timers: dict[str, Duration] | None = key(
        "Idle time after which each level is entered, from the start of the idle period.",
        unset="the crossings of the levels' energy-over-time lines (lower envelope)",
        accepts="a table of levels and durations",
        unit="s",
        example={"idle_b": "10min", "idle_c": "30min", "standby": "60min"},
    )

    @field_validator("timers")
    @classmethod
    def _some(cls, value: dict[str, float] | None) -> dict[str, float] | None:
        return None if value is None else _timers(value)


class MultiSpeedPolicy(_Waking):
    """Idle drives turn slower, and serve at the speed at which a request finds them."""

    policy: Literal["multi-speed"] = key(
        "The policy. multi-speed: idle drives reduce their spindle speed, and serve at the speed they have "
        "when a request arrives (DRPM).",
        example="multi-speed",
    )
    timers: dict[str, Duration] = key(
        "Idle time after which each speed is entered, from the start of the idle period.",
        accepts="a table of levels and durations",
        unit="s",
        example={"rpm_9000": "5s", "rpm_6000": "20s"},
    )
    max_queue: int = key(
        "Maximum number of queued requests served at reduced speed; with more, the drive returns to full "
        "speed first. 0: serve only at full speed.",
        default=4,
        within=(0, 2**31),
        example=4,
    )

    @field_validator("timers")
    @classmethod
    def _some(cls, value: dict[str, float]) -> dict[str, float]:
        return _timers(value)


Policy = (
    NeverPolicy
    | FixedThresholdPolicy
    | TwoCompetitivePolicy
    | AdaptivePolicy
    | SharePolicy
    | ArimaPolicy
    | LawDrivenPolicy
    | OracleEnergyPolicy
    | OracleLatencyPolicy
    | MultiLevelPolicy
    | MultiSpeedPolicy
)
PowerPolicy = Annotated[Policy, Field(discriminator="policy")]

ANY: Final = "any"


def levels_needed(policy: Policy) -> list[str]:
    """Names of the levels that a policy uses; none where it takes what there is."""
    if isinstance(policy, NeverPolicy):
        return []
    if isinstance(policy, MultiLevelPolicy | MultiSpeedPolicy):
        return list(policy.timers or {})
    return [] if isinstance(policy, OracleEnergyPolicy) and policy.to == ANY else [policy.to]


def policy_plan(policy: Policy, ladder: Ladder) -> dict[str, Any]:
    """``PolicyPlan`` of iowatt-power, for drives of these levels."""
    build: Callable[[Any, Ladder], dict[str, Any]] = _BUILD[type(policy)]
    return {"policy": policy.policy, **build(policy, ladder)}


def _timer_list(timers: dict[str, float], ladder: Ladder) -> list[dict[str, Any]]:
    return [{"after_s": after_s, "level": ladder.number(name)} for name, after_s in timers.items()]


def _adaptation(p: AdaptivePolicy) -> dict[str, float]:
    return {
        "initial_s": p.initial,
        "acceptable": p.acceptable,
        "raise_s": p.raise_by,
        "lower_s": p.lower_by,
        "least_s": p.least,
        "most_s": p.most,
    }


def _prediction(p: ArimaPolicy | LawDrivenPolicy) -> dict[str, float]:
    return {"certainty": p.certainty, "memory": p.memory}


_BUILD: Final[dict[type[Strict], Callable[[Any, Ladder], dict[str, Any]]]] = {
    NeverPolicy: lambda p, at: {},
    FixedThresholdPolicy: lambda p, at: {"threshold_s": p.threshold, "level": at.number(p.to)},
    TwoCompetitivePolicy: lambda p, at: {"level": at.number(p.to), "randomised": p.randomised},
    AdaptivePolicy: lambda p, at: {"level": at.number(p.to), "adaptation": _adaptation(p)},
    SharePolicy: lambda p, at: {
        "level": at.number(p.to),
        "sharing": {"experts": p.experts, "learning_rate": p.learning_rate, "share": p.share},
    },
    ArimaPolicy: lambda p, at: {
        "level": at.number(p.to),
        "prediction": _prediction(p),
        "order": {
            "autoregressive": p.autoregressive,
            "differences": p.differences,
            "moving_average": p.moving_average,
        },
    },
    LawDrivenPolicy: lambda p, at: {
        "level": at.number(p.to),
        "prediction": _prediction(p),
        "law": None if p.law == "best" else p.law,
    },
    OracleEnergyPolicy: lambda p, at: {"level": None if p.to == ANY else at.number(p.to), "in_time": True},
    OracleLatencyPolicy: lambda p, at: {"level": at.number(p.to)},
    MultiLevelPolicy: lambda p, at: {"timers": None if p.timers is None else _timer_list(p.timers, at)},
    MultiSpeedPolicy: lambda p, at: {"timers": _timer_list(p.timers, at), "bears": p.max_queue},
}


def batching_plan(policy: Policy) -> dict[str, Any] | None:
    """``BatchingPlan`` of iowatt-sim."""
    batching = getattr(policy, "batching", None)
    if batching is None:
        return None
    return {"max_wait_s": batching.max_wait, "max_requests": batching.max_requests}


def spin_ups_at_once(policy: Policy) -> int | None:
    """How many drives of the pool may spin up at once."""
    stagger: StaggerKeys | None = getattr(policy, "stagger", None)
    return None if stagger is None else stagger.at_once
