"""A workload profile: streams of like requests, when they arrive, and where each figure comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from iowatt.base import units
from iowatt.base.errors import BadValueError
from iowatt.base.quantity import BlockSize, Capacity, Duration, Iops, Percent
from iowatt.base.strict import Name, Strict, key
from iowatt.model.profile.laws.access import Access
from iowatt.model.profile.laws.arrivals import Arrivals, OwnArrivals
from iowatt.model.profile.ranges import RangeEndKey, byte_range

Quality = Literal["measured", "published", "verified", "derived", "defined", "assumed", "recalled"]


class ProfileSource(Strict):
    """One publication or method, and the figures that it gives."""

    figures: list[str] = key(
        "Key paths of the figures, such as `stream.hot1.share` or `stream.*.sizes`; a table means all in it.",
        min_length=1,
        example=["stream.*.sizes"],
    )
    quality: Quality = key(
        "measured: counted in a trace; published: read in the publication; verified: checked by running it; "
        "derived: computed from such figures; defined: a choice that makes the profile what it is; assumed: "
        "ours, not published; recalled: from memory, unverified."
    )
    text: str = key("The publication, trace or method.", min_length=1)

    def covers(self, figure: str) -> int:
        """How exactly this source names ``figure``: the length of the path that does, or 0."""
        return max((len(path) for path in self.figures if _covers(path, figure)), default=0)


class Missing(Strict):
    """A figure that is not published: whoever uses the profile must give it."""

    figure: str = key("Key path of the figure.", min_length=1, example="arrivals.rate")
    why: str = key("What is known of it, and why it is not here.", min_length=1)


def _covers(path: str, figure: str) -> bool:
    wanted, steps = path.split("."), figure.split(".")
    pairs = zip(wanted, steps, strict=False)
    return len(wanted) <= len(steps) and all(fnmatchcase(step, want) for want, step in pairs)


def source_of(sources: Iterable[ProfileSource], figure: str) -> ProfileSource | None:
    """The source of a figure by its key path; the most specific one, the first among equals."""
    best = max(sources, key=lambda source: source.covers(figure), default=None)
    return best if best is not None and best.covers(figure) else None


PROFILE_SCHEMA: Final = "iowatt.profile/1"
_PERIODS: Final = {"daily": 86_400.0, "weekly": 604_800.0}


def _period(value: Any) -> Any:
    if isinstance(value, str) and value in _PERIODS:
        return _PERIODS[value]
    try:
        return units.parse_duration(value)
    except BadValueError as error:
        raise BadValueError(error.code, None, f"{error.message}, or 'daily' or 'weekly'") from None


def _pair(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) == 2:
        return tuple(value)
    message = 'expected two places, from and to, such as ["10%", "18%"] or [0, "4GiB"]'
    raise BadValueError("wrong-type", None, message)


class SizeShare(Strict):
    """A size in a mix."""

    size: BlockSize = key("Bytes of a request.", gt=0, le=2**32 - 1, example="8KiB")
    share: Percent = key("Share of the requests.", gt=0, example=31)


def _mix(text: str) -> Any:
    return key(f"{text} Shares add up to 100.", unset="as `size` says", min_length=1, max_length=4096)


class RequestRun(Strict):
    """Requests that follow one another closely."""

    requests: float = key("Mean requests of a run, the first included.", gt=1, le=1e9, example=16)
    length: Literal["geometric", "fixed"] = key(
        "Law of their number. fixed: the mean, or one of the two whole numbers around it.",
        default="geometric",
        example="fixed",
    )
    gap: Duration = key("Mean time from one to the next.", example="4ms")
    gap_law: Literal["exponential", "fixed"] = key("Law of the gaps.", default="exponential", example="fixed")
    addresses: Literal["sequential", "same", "law"] = key(
        "Where those that follow go. sequential: each begins where the one before it ended; same: to the "
        "same place in the same size; law: by the stream's address law.",
        default="sequential",
        example="law",
    )


class ProfileStream(Strict):
    """Requests that are alike."""

    name: Name = key("Its name; it becomes the stream of its requests in a trace.", example="hot1")
    share: float | None = key(
        "Its share of the requests that [arrivals] makes; the shares of a profile add up to 100.",
        unset="it has a rate_iops or arrivals of its own",
        unit="%",
        gt=0,
        le=100,
        example=28,
    )
    rate_iops: Iops | None = key(
        "A Poisson rate of its own, in place of a share.", unset="it has a share", example=50
    )
    arrivals: OwnArrivals | None = key(
        "Arrivals of its own, in place of a share.",
        unset="it has a share",
        example={"law": "poisson", "rate": 50},
    )
    read_share: Percent = key("Share of its requests that read.", example=70)
    size: BlockSize | None = key(
        "Bytes of its requests.", unset="mixes are given", gt=0, le=2**32 - 1, example="8KiB"
    )
    sizes: list[SizeShare] | None = _mix("A mix of sizes.")
    read_sizes: list[SizeShare] | None = _mix("The mix of its reads, where it differs from that of writes.")
    write_sizes: list[SizeShare] | None = _mix("The mix of its writes, where it differs from that of reads.")
    run: RequestRun | None = key(
        "Each arrival brings further requests of its kind after it; shares and rates count them all.",
        unset="each arrival is one request",
        example={"requests": 16, "gap": "4ms"},
    )
    access: Access = key("Where its requests go.", example={"pattern": "uniform"})
    range: Annotated[tuple[RangeEndKey, RangeEndKey], BeforeValidator(_pair)] = key(
        "The part of the span that it goes to, from and to. Ends in percent are cut to whole MiB (of spans "
        "under 1 GiB: 4 KiB).",
        default=("0%", "100%"),
        accepts='two places such as ["10%", "18%"] or [0, "4GiB"]',
        validate_default=True,
        example=["10%", "18%"],
    )
    align: BlockSize | None = key(
        "Alignment of offsets from the start of its range.",
        unset="the size of the request (sequential: nothing)",
        gt=0,
        example="4KiB",
    )

    def byte_range(self, span: int) -> tuple[int, int]:
        """First byte and end of its range in ``span`` bytes."""
        return byte_range(self.range, span)


class Envelope(Strict):
    """A rate that follows the clock."""

    period: Annotated[
        float,
        BeforeValidator(_period),
        WithJsonSchema(
            {"type": "string", "examples": ["daily"], "x-accepts": f"'daily', 'weekly', or {units.DURATION}"}
        ),
    ] = key("How often it repeats.", unit="s", gt=0, example="daily")
    factors: list[Annotated[float, Field(ge=0)]] = key(
        "Rates of equal parts of the period, in proportion; the mean over a period stays the law's rate.",
        min_length=1,
        max_length=100_000,
        example=[0.4, 1.2, 1.6, 0.8],
    )


class ProfilePhase(Strict):
    """A part of the time with another rate or mix."""

    name: Name = key("Its name.", example="checkpoint")
    duration: Duration = key("Its length; after the last phase the first follows.", gt=0, example="30s")
    factor: float = key("What the rate is multiplied by.", default=1.0, ge=0, example=2.5)
    shares: dict[Name, Percent] | None = key(
        "Shares of the streams in this phase, by name; they add up to 100.",
        unset="as in the streams",
        unit="%",
        example={"oltp": 20, "checkpoint": 80},
    )


class Profile(Strict):
    """What to generate."""

    schema_: Literal["iowatt.profile/1"] = Field(
        PROFILE_SCHEMA,
        alias="schema",
        description="The version of this format.",
        json_schema_extra={"x-example": PROFILE_SCHEMA, "x-accepts": f'"{PROFILE_SCHEMA}"'},
    )
    name: str = key(
        "Its name, lower-case with dashes.",
        pattern=r"^[a-z0-9][a-z0-9.]*(-[a-z0-9.]+)*$",
        max_length=64,
        example="hot-band",
    )
    title: str = key(
        "What it is, in a line.",
        min_length=1,
        max_length=500,
        # It stands in the first line of files that other programs run.
        pattern=r"^[^\x00-\x1f\x7f\u2028\u2029]*$",
        example="SNIA Emerald hot band, version 2 on",
    )
    notes: list[str] = key("What whoever uses it should know; shown with results.", default=[])
    span: Capacity | None = key(
        "Address space, from byte 0.",
        unset="to be given: --span; in a scenario, the volume",
        gt=0,
        example="1TiB",
    )
    arrivals: Arrivals | None = key(
        "When the requests of streams with a share arrive.",
        unset="all streams have arrivals of their own",
        example={"law": "poisson", "rate": 500},
    )
    size: BlockSize | None = key(
        "Bytes of the requests of streams that say nothing of sizes.",
        unset="streams say it",
        gt=0,
        le=2**32 - 1,
        example="8KiB",
    )
    sizes: list[SizeShare] | None = _mix("The mix of sizes of streams that say nothing of sizes.")
    stream: list[ProfileStream] = key("Streams of like requests.", min_length=1, max_length=4096)
    envelope: list[Envelope] = key("Rates over the day or the week; several multiply.", default=[])
    phase: list[ProfilePhase] = key("Phases in turn, over and over.", default=[])
    missing: list[Missing] = key("Figures that are not published.", default=[])
    source: list[ProfileSource] = key("Where the figures come from.", default=[])

    @property
    def rated(self) -> bool:
        """Whether requests have arrival times of their own, and do not wait for completions."""
        return self.arrivals is None or self.arrivals.law != "closed"

    @property
    def mean_rate(self) -> float | None:
        """Requests per second in the long run; None where completions or recorded stamps pace them."""
        rates: list[float] = []
        if self.arrivals is not None:
            rate = self.arrivals.mean_rate
            if rate is None:
                return None
            rates.append(rate)
        for stream in self.stream:
            if stream.rate_iops is not None:
                rates.append(stream.rate_iops)
            elif stream.arrivals is not None:
                rates.append(stream.arrivals.mean_rate or 0.0)
        return math.fsum(rates) * self._phase_factor()

    def _phase_factor(self) -> float:
        """Mean factor of the phases over time."""
        if not self.phase:
            return 1.0
        total = math.fsum(phase.duration for phase in self.phase)
        return math.fsum(phase.duration * phase.factor for phase in self.phase) / total

    def mixes(self, stream: ProfileStream) -> tuple[Mix, Mix]:
        """(bytes, share in percent) of a stream's reads and of its writes; empty without such requests."""
        common = _common(stream) or _common(self)
        reads = (_pairs(stream.read_sizes) or common) if stream.read_share > 0 else []
        writes = (_pairs(stream.write_sizes) or common) if stream.read_share < 100 else []
        return reads, writes


Mix = list[tuple[int, float]]


def mean_size(mix: Mix) -> float:
    """Mean bytes."""
    return sum(size * share for size, share in mix) / sum(share for _, share in mix)


def _common(table: ProfileStream | Profile) -> Mix:
    return [(table.size, 100.0)] if table.size is not None else _pairs(table.sizes)


def _pairs(mix: list[SizeShare] | None) -> Mix:
    return [(part.size, part.share) for part in mix or []]
