"""The assembled array, its load and its path as scenarios, and what varies in each sweep.

Published are 48 SAS SSDs of 400 GB, RAID-5 for data and RAID-10 for the log, one 8 Gb host port (an
LPe12002 and a Brocade 6510 on the way), a TPC-E-like load of 100 virtual users whose server may use 16
GB. Rates are not: ours are assumed, and the same for every member of the family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.evaluate.search import SweepAxis, parse_axes
from iowatt.studies.latency2015.equations import RequestRates
from iowatt.studies.latency2015.published import BY_KEY, MEMBERS, PRINTED, REFERENCE, TEXT, Member
from iowatt.studies.stages import StudyStage, scenario_text

SSD: Final = "micron-p410m-400gb"
#: What each user asks for a second: pages, and writes of the log. Assumed.
PAGES: Final = 80.0
COMMITS: Final = 4.0
#: Mean response of pages and log writes, about: think times are the rest of a user's period.
_ANSWER_S: Final = 0.0003

READ_SHARE: Final = PRINTED.reads_per_write / (PRINTED.reads_per_write + 1)
LOAD: Final = RequestRates(
    reads=PRINTED.users * PAGES * READ_SHARE,
    writes=PRINTED.users * (PAGES * (1 - READ_SHARE) + COMMITS),
)
"""Requests per second that the users make."""

READ: Final = "array.controller.processing.read"
WRITE: Final = "array.controller.processing.write"
READY: Final = "array.controller.processing.ready"
PROCESSORS: Final = "array.controller.processing.processors"
COPY: Final = "array.controller.cache.mirror.latency"
EXPRESS: Final = "path.san.port.express_writes"
DATA_USERS: Final = "workload.data.replay.outstanding"
LOG_USERS: Final = "workload.log.replay.outstanding"
SPLIT: Final = "array.controller.split"
SEGMENT: Final = "path.san.segment"
ZEROS: Final = "array.controller.zero_detect"
DESTAGE: Final = "array.controller.cache.destage"

OFF: Final = "[]"
#: Buffers for writes of up to 64 KiB, which all of ours are; classes and numbers are not published.
ON: Final = '[{up_to="64KiB",buffers=128}]'

#: Times more users; a single user never waits for another.
TWICE: Final = 2
ALONE: Final = 1
#: A checkpoint: random writes of pages on top, per second.
CHECKPOINT: Final = 1_500
#: A scan beside the load: reads of 256 KiB per second.
SCAN: Final = 240
#: Share of zeros among writes where zero detection is shown.
ZERO_SHARE: Final = 0.3

#: Visits of an installed base, in us, and utilisations of its processors before.
BASE_VISITS_US: Final = (10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320)
BASE_BUSY: Final = (0.2, 0.5)
#: The copy of its arrays in us: what is fixed is that and the exchange.
BASE_COPY_US: Final = 10


@dataclass(frozen=True)
class LatencyScale:
    """How long each sweep runs, in s, and of how much."""

    steady_s: float
    alone_s: float
    twice_s: float
    checkpoint_s: float
    services_s: float
    base_s: float
    warmup_s: float
    members: tuple[str, ...]
    base_visits_us: tuple[int, ...] = BASE_VISITS_US


ALL: Final = tuple(member.key for member in MEMBERS)
FULL: Final = LatencyScale(60, 60, 15, 30, 20, 4, 5, ALL)
QUICK: Final = LatencyScale(10, 20, 5, 15, 5, 1, 2, (ALL[0], REFERENCE, "best-62"), BASE_VISITS_US[::2])


def scenario(
    key: str,
    member: Member,
    window_s: float,
    warmup_s: float,
    *,
    users: int = PRINTED.users,
    express: str = OFF,
    zero_share: float = 0.0,
    more: str = "",
) -> str:
    """A member of the family under the load, observed for ``window_s``."""
    return scenario_text(
        "latency2015",
        key=key,
        users=users,
        page_us=round(1e6 * (1 / PAGES - _ANSWER_S)),
        commit_us=round(1e6 * (1 / COMMITS - _ANSWER_S)),
        zeros=f"zero_share = {zero_share:g}" if zero_share else "",
        more=more,
        express=express,
        ssd=SSD,
        drives=PRINTED.drives,
        read_us=member.read_us,
        visit_us=member.visit_us,
        processors=member.processors,
        copy_us=member.copy_us,
        warmup_s=warmup_s,
        duration_s=warmup_s + window_s,
    )


def stages(scale: LatencyScale) -> list[StudyStage]:
    """All sweeps of the study."""
    family = [BY_KEY[key] for key in scale.members]
    return [
        _family("steady", family, scale.steady_s, scale),
        _family("alone", family, scale.alone_s, scale, users=ALONE),
        _family("twice", family, scale.twice_s, scale, users=TWICE * PRINTED.users),
        _family("checkpoint", family, scale.checkpoint_s, scale, more=checkpoint(scale)),
        *_services(scale),
        _base(scale),
    ]


def checkpoint_at(scale: LatencyScale) -> tuple[float, float]:
    """When the checkpoint begins, from the start of the window, and how long it takes, in s."""
    return scale.checkpoint_s / 3, scale.checkpoint_s / 6


def checkpoint(scale: LatencyScale) -> str:
    """The keys of the checkpoint's workload."""
    start_s, length_s = checkpoint_at(scale)
    return TEXT.fragment("checkpoint", rate=CHECKPOINT, length_s=length_s, start_s=scale.warmup_s + start_s)


def express() -> list[SweepAxis]:
    """The feature off and on."""
    return parse_axes([f"{EXPRESS}={OFF},{ON}"])


def _family(
    kind: str,
    family: Sequence[Member],
    window_s: float,
    scale: LatencyScale,
    *,
    users: int = PRINTED.users,
    more: str = "",
) -> StudyStage:
    text = scenario(kind, family[0], window_s, scale.warmup_s, users=users, more=more)
    over = parse_axes({(READ, WRITE, READY, PROCESSORS, COPY): [_settings(member) for member in family]})
    return StudyStage(kind, text, Path.cwd(), [*over, *express()], {"kind": kind}, bundles=True)


def _settings(member: Member) -> tuple[str, str, str, int, str]:
    visit = f"{member.visit_us:g}us"
    return f"{member.read_us:g}us", visit, visit, member.processors, f"{member.copy_us:g}us"


def _services(scale: LatencyScale) -> list[StudyStage]:
    """Each service off and on, Express Writes on, under the load that it is for."""
    member = BY_KEY[REFERENCE]
    scan = TEXT.fragment("scan", rate=SCAN)
    given: list[tuple[str, str, dict[str, Any]]] = [
        ("split", f"{SPLIT},{SEGMENT}=(1MiB,1MiB),(32KiB,1MiB),(32KiB,32KiB)", {"more": scan}),
        ("zeros", f"{ZEROS}=false,true", {"zero_share": ZERO_SHARE}),
        ("offload", f'{DESTAGE}="watermark","utilisation"', {}),
    ]
    return [
        StudyStage(
            kind,
            scenario(kind, member, scale.services_s, scale.warmup_s, express=ON, **more),
            Path.cwd(),
            parse_axes([over]),
            {"kind": kind},
            bundles=True,
        )
        for kind, over, more in given
    ]


def base_users(visit_us: float, busy: float) -> int:
    """Users with whom an array of the installed base is so busy before; a read there costs half a visit."""
    visit_s = visit_us * 1e-6
    demand = LOAD.reads * visit_s / 2 + 2 * LOAD.writes * visit_s
    return max(1, round(PRINTED.users * busy / demand))


def _base(scale: LatencyScale) -> StudyStage:
    """Arrays of an installed base: how long a visit takes, and how busy they are."""
    cells = [
        (f"{visit / 2:g}us", f"{visit}us", f"{visit}us", users, users)
        for visit in scale.base_visits_us
        for users in (base_users(visit, busy) for busy in BASE_BUSY)
    ]
    member = Member(key="base", title="", why="", read_us=0.0, visit_us=0.0, copy_us=BASE_COPY_US)
    text = scenario("base", member, scale.base_s, scale.warmup_s)
    over = parse_axes({(READ, WRITE, READY, DATA_USERS, LOG_USERS): cells})
    return StudyStage("base", text, Path.cwd(), [*over, *express()], {"kind": "base"}, bundles=True)
