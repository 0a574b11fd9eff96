"""The five systems and their works, short enough to run live."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.evaluate.search import parse_axes
from iowatt.studies.dollars2014 import systems
from iowatt.studies.dollars2014.published import TEXT
from iowatt.studies.dollars2014.systems import EXTENT, HYBRIDS, LIMIT, SEED, SYSTEMS, THRESHOLD
from iowatt.studies.stages import StudyStage, scenario_text

_MIGRATIONS: Final = 4
_THRESHOLD: Final = 4


@dataclass(frozen=True)
class LiveWork:
    """A workload of the study: its profile, and what of it is run live in the whole study."""

    key: str
    title: str
    profile: str
    span_mib: int
    extent_kib: int


LIVE_WORKS: Final = (
    LiveWork("web-search", systems.WEB.title, systems.WEB.profile, 1024, 1024),
    LiveWork("fiu-online", systems.FIU.title, systems.FIU.profile, 256, 256),
)


@dataclass(frozen=True)
class LiveScale:
    """How long the works are; their spaces are as much smaller."""

    length: float

    @property
    def requests(self) -> int:
        """Requests of each work."""
        return round(12_000 * self.length)

    def span_mib(self, work: LiveWork) -> int:
        """MiB that a work goes to, a multiple of four."""
        return max(4, round(work.span_mib * self.length) // 4 * 4)


LIVE_FULL: Final = LiveScale(1.0)
LIVE_QUICK: Final = LiveScale(0.125)


def live_stages(scale: LiveScale) -> list[StudyStage]:
    """Each system under each work, simulated and live."""
    return [_stage(work, system, scale) for work in LIVE_WORKS for system in SYSTEMS]


def _stage(work: LiveWork, system: str, scale: LiveScale) -> StudyStage:
    span = scale.span_mib(work)
    requests = f'profile = {{ name = "{work.profile}", requests = {scale.requests}, span = "{span}MiB" }}'
    key = f"{work.key}-{system}"
    if system in ("ssd", "hdd"):
        # A volume of one part: the drive alone.
        pool = TEXT.fragment(system, ssd=systems.SSD, hdd=systems.HDD, active_w=systems.SSD_ACTIVE_W)
        part = f'part = [{{ pool = "{system}", capacity = "{span}MiB" }}]'
        pools = pool + TEXT.fragment("hybrid", scheme="linear", parts=part)
        text = scenario_text(
            "dollars2014", name=key, work=requests, outstanding=1, pools=pools, pool="hybrid", span=span
        )
    else:
        text = systems.scenario(key, system, requests, span, limit=_MIGRATIONS)
    axes: dict[str, list[object]] = {SEED: [1]}
    if system in HYBRIDS:
        axes = {EXTENT: [f"{work.extent_kib}KiB"], THRESHOLD: [_THRESHOLD], LIMIT: [_MIGRATIONS]}
    labels = {"work": work.key, "system": system, "experiment": ""}
    return StudyStage(key, text, Path.cwd(), parse_axes(axes), labels, bundles=True, live=True)
