"""The arrays of the study as scenarios: loads at several rates on drives that never stop, and policies."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from iowatt.evaluate.search import parse_axes
from iowatt.studies.beyond2002.published import TEXT
from iowatt.studies.stages import StudyStage

DRIVES: Final = {"server": "server drive", "laptop": "laptop drive"}
POLICIES: Final = {
    "never": '{ policy = "never" }',
    "oracle": '{ policy = "oracle-energy" }',
    "two-competitive": '{ policy = "two-competitive" }',
    "batching": '{ policy = "two-competitive", batching = { max_wait = "2min" } }',
    "arima": '{ policy = "arima" }',
    "law-driven": '{ policy = "law-driven" }',
}
#: What the policies are called in tables.
NAMES: Final = {
    "never": "never",
    "oracle": "oracle by energy",
    "two-competitive": "2-competitive",
    "batching": "2-competitive, batching 2 min",
    "arima": "ARIMA",
    "law-driven": "law-driven",
}
#: Rates, as shares of each load's own.
SHARES: Final = (1.0, 0.01, 0.001, 0.0001)
#: Requests of a load at each rate, and days of the office's server, of the whole study.
REQUESTS: Final = 6_000
OFFICE_DAYS: Final = 7.0


@dataclass(frozen=True)
class ServedLoad:
    """A load: a profile of the library at a rate."""

    key: str
    title: str
    profile: str
    #: Requests a second of the whole array.
    rate: float


LOADS: Final = (
    ServedLoad("web", "web search", "websearch", 412.7),
    ServedLoad("hosting", "web hosting", "web-hosting", 50.0),
    ServedLoad("database", "database (TPC-C of arrays2002)", "arrays2002-tpcc", 141.66),
    ServedLoad("desktop", "20 desktops", "vdi-steady", 71.0),
)
#: Loads with a structure in time, on which policies are simulated.
TIMED: Final = {"office": "office server", "hp": "time-sharing host (HP, 1992)"}
TITLES: Final = {**{load.key: load.title for load in LOADS}, **TIMED}


def stages(scale: float) -> list[StudyStage]:
    """Loads that are looked at by the idle lens, and policies that are simulated; ``scale`` of the whole."""
    found = [
        _stage("load", scale, work=load.key, drive=drive, policy="never", share=share)
        for load in LOADS
        for drive in DRIVES
        for share in SHARES
    ]
    return found + [
        _stage("policy", scale, work=work, drive=drive, policy=policy, share=1.0)
        for work in TIMED
        for drive in DRIVES
        for policy in POLICIES
    ]


def _stage(kind: str, scale: float, *, work: str, drive: str, policy: str, share: float) -> StudyStage:
    # HP's week ships with the drive that it validates.
    folder = Path(str(files("iowatt.model.library") / "validation"))
    key = f"{work}-{drive}-{policy if kind == 'policy' else f'{share:g}'}"
    labels: dict[str, str | float | int | None] = {
        "kind": kind,
        "work": work,
        "drive": drive,
        "policy": policy,
        "share": share,
    }
    head = f'name = "beyond2002-{key.replace(".", "-")}"\nseed = 1\n'
    text = f"{head}{_work(work, share, scale, _drive(drive, policy))}\n[observe]\nidle = true\n"
    return StudyStage(key, text, folder, parse_axes({"seed": [1]}), labels, bundles=True)


def _drive(drive: str, policy: str) -> str:
    return f"device = {TEXT.fragments[drive].strip()}\npower = {POLICIES[policy]}\n"


def _work(work: str, share: float, scale: float, drive: str) -> str:
    """The workload and pools of a load, with these keys of the drives."""
    if work == "hp":
        return "".join(
            f'[[workload]]\nname = "disk{d}"\nvolume = "disk{d}"\n'
            f'trace = {{ path = "ajw.1week.srt.gz", format = "hp-srt", device = "{d}" }}\n'
            f'[[array.pool]]\nname = "disk{d}"\ncount = 1\n{drive}'
            f'[[array.volume]]\nname = "disk{d}"\npool = "disk{d}"\n'
            for d in (0, 1)
        )
    if work == "office":
        profile = f'name = "server-volume", duration = "{OFFICE_DAYS * scale:g}d"'
    else:
        load = next(one for one in LOADS if one.key == work)
        rate = load.rate * share
        profile = f'name = "{load.profile}", rate_iops = {rate:g}, duration = "{REQUESTS * scale / rate:g}s"'
    return (
        f'[[workload]]\nname = "load"\nprofile = {{ {profile} }}\n'
        f'[[array.pool]]\nname = "disks"\ncount = 8\nraid = {{ level = 5, stripe_unit = "64KiB" }}\n{drive}'
    )
