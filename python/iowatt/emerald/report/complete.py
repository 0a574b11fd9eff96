"""What a test data report has to say, and whether this one does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from iowatt.emerald.analyze.result import Part, ReadyIdle
from iowatt.emerald.report import blocks
from iowatt.emerald.report.blocks import Page, rows
from iowatt.emerald.report.front import COMS
from iowatt.emerald.report.inputs import Given
from iowatt.emerald.report.timeline import CONDITIONS

State = Literal["there", "missing", "refused", "not applicable"]

#: Quantities that are asked of the power meters for every phase; temperature is asked of a thermometer.
_OF_POWER: Final = ("watts", "volts", "hertz", "power_factor", "thd_percent")


@dataclass(frozen=True)
class Item:
    """One thing that belongs into the report."""

    page: str
    what: str
    state: State
    #: How to supply it; of what is refused, why.
    how: str = ""

    @property
    def lacking(self) -> bool:
        """Whether the report is incomplete for it."""
        return self.state in ("missing", "refused")

    def as_dict(self) -> dict[str, str]:
        """As JSON."""
        return {"page": self.page, "what": self.what, "state": self.state, "how": self.how}


def items(given: Given) -> list[Item]:
    """All of them, in the order of the pages."""
    return [
        *_product(given),
        *_metrics(given),
        *_coms(given),
        *_system(given),
        *_instruments(given),
        *_data(given),
    ]


def page(found: Sequence[Item]) -> Page:
    """The list as a page: what is missing first."""
    lacking = [one for one in found if one.lacking]
    sentences = [summary(found)]
    made = []
    if lacking:
        made.append(_table("What is missing", lacking))
    made.append(_table("What is there", [one for one in found if not one.lacking]))
    return Page("completeness", "Completeness", made, sentences)


def summary(found: Sequence[Item]) -> str:
    """In a sentence."""
    lacking = [one for one in found if one.lacking]
    asked = [one for one in found if one.state != "not applicable"]
    if not lacking:
        return f"Complete: all {len(asked)} items are there."
    return f"Incomplete: {len(lacking)} of {len(asked)} items are missing or refused."


def _table(title: str, found: Sequence[Item]) -> blocks.Block:
    return rows(
        title,
        blocks.text("Page", "Item", "State", "How"),
        [[one.page, one.what, one.state, one.how or None] for one in found],
    )


def _item(page: str, what: str, value: Any, how: str) -> Item:
    there = value is not None and value not in ("", [])
    return Item(page, what, "there") if there else Item(page, what, "missing", how)


def _about(page: str, what: str, value: Any, key: str) -> Item:
    return _item(page, what, value, f"--about: {key}")


def _product(given: Given) -> Iterator[Item]:
    page, about, found = "Product", given.about, given.analysis
    yield _item(page, "product vendor", found.product.get("vendor"), "plan with --product")
    yield _item(page, "product", found.product.get("name"), "plan with --product")
    yield _item(page, "taxonomy class", found.class_, "plan with --product or --class")
    yield _about(page, "submitter", about.submitter.name, "submitter.name")
    yield _about(page, "company of the submitter", about.submitter.company, "submitter.company")
    yield _about(page, "firmware", about.system.firmware, "system.firmware")
    yield _item("Taxonomy", "taxonomy attributes, checked", given.classification, "--product")


def _metrics(given: Given) -> Iterator[Item]:
    page = "Metrics"
    rest = given.analysis.ready_idle
    yield from [_idle(rest)] if rest else [Item(page, "ready idle", "missing", "the plan has none")]
    there = {phase.phase: phase for phase in given.analysis.phases}
    wanted = _wanted(given) or list(there)
    for name in [*wanted, *(one for one in there if one not in wanted)]:
        if name not in there:
            yield Item(page, f"EP of {name}", "missing", "the rules ask for this phase")
            continue
        phase = there[name]
        yield _figure(page, phase.metric, phase)
        yield _item(page, f"average latency of {name}", phase.response_mean_ms, "in the driver's output")
        yield _item(page, f"run length of {name}", phase.seconds, "in the driver's output")


def _wanted(given: Given) -> list[str]:
    if given.rules is None:
        return []
    rule = given.rules.find("phases.order", given.analysis.category)
    return [] if rule is None or not isinstance(rule.value, list) else [str(one) for one in rule.value]


def _idle(rest: ReadyIdle) -> Item:
    return _figure("Metrics", rest.metric, rest)


def _figure(page: str, metric: str, part: Part) -> Item:
    if part.ep_shown is not None:
        return Item(page, metric, "there")
    why = [one.text for one in part.findings if one.weight == "invalid"]
    if part.ep is None and not why:
        return Item(page, metric, "missing", "there are no figures")
    return Item(page, metric, "refused", why[0] if why else "no measurement")


def _coms(given: Given) -> Iterator[Item]:
    page = "Metrics"
    tested = {one["com"]: one["verdict"] for one in (given.com or {}).get("coms", [])}
    for name, title in COMS.items():
        state = given.about.com.get(name)  # type: ignore[call-overload]
        yield _about(
            page,
            f"{title}: on during the test?",
            None if state is None else state.during_test,
            f"com.{name}.during_test",
        )
        known = (state is not None and state.available is not None) or tested.get(name) in ("yes", "no")
        yield _item(page, f"{title}: available?", known or None, f"--about: com.{name}.available, or --com")
        claimed = state is not None and state.available
        if claimed:
            done = tested.get(name) in ("yes", "no")
            yield _item(page, f"{title}: COM test", done or None, "`iowatt emerald com`, then --com")


def _system(given: Given) -> Iterator[Item]:
    page, about = "System under test", given.about
    yield _about(page, "topology", about.system.topology, "system.topology")
    yield _about(page, "storage devices", about.device, "[[device]]")
    yield _about(page, "power supplies", about.power_supply.count, "power_supply.count")
    yield _about(page, "protection of data", about.system.protection, "system.protection")
    if given.modelled:
        yield Item(page, "hosts", "not applicable", "simulated")
        yield Item(page, "LUN map", "not applicable", "simulated")
    else:
        yield _about(page, "hosts", about.host or (given.manifest or {}).get("host"), "[[host]]")
        yield _about(page, "LUN map", about.lun, "[[lun]]")
    where = "report from the folder of the measurement"
    yield _item(page, "tested address range", given.plan, where)
    yield _item(page, "settings before", given.settings_before, where)
    yield _item(page, "settings after", given.settings_after, where)


def _instruments(given: Given) -> Iterator[Item]:
    page = "Instruments"
    if given.modelled:
        yield Item(page, "instruments", "not applicable", "power is modelled")
        return
    meters = {(one.name, one.role): one for part in given.parts for one in part.instruments}
    for role in ("power", "temperature"):
        own = [one for one in meters.values() if one.role == role]
        if not own:
            yield Item(
                page, f"an instrument of {role}", "missing", "plan with --instrument and --thermometer"
            )
        for one in own:
            for name, title in (
                ("model", "model"),
                ("serial", "serial number"),
                ("calibrated", "calibration date"),
            ):
                yield _item(page, f"{one.name}: {title}", getattr(one, name), f"{name}= in its address")
    for part in given.parts:
        yield from _conditions(page, part)


def _conditions(page: str, part: Part) -> Iterator[Item]:
    """Which quantities were recorded in a phase, in one item where any is missing."""
    seen: dict[str, set[str]] = {"power": set(), "temperature": set()}
    for one in part.instruments:
        if one.role in seen:
            seen[one.role] |= set(one.readings)
    absent = [CONDITIONS[name][0] for name in _OF_POWER if name not in seen["power"]]
    if "celsius" not in seen["temperature"] | seen["power"]:
        absent.append(CONDITIONS["celsius"][0])
    what = f"{part.phase}: minimum, mean and maximum of all conditions"
    if absent:
        yield Item(page, what, "missing", f"not recorded: {', '.join(absent)}")
    else:
        yield Item(page, what, "there")


def _data(given: Given) -> Iterator[Item]:
    for part in given.parts:
        lacking = [one.minute for one in part.minutes if one.power_w is None]
        what = f"{part.phase}: power of every minute"
        if not part.minutes:
            yield Item("Minutes", what, "missing", "there are no figures")
        elif lacking:
            yield Item("Minutes", what, "missing", f"{len(lacking)} minutes are incomplete")
        else:
            yield Item("Minutes", what, "there")
    # The analysis itself always has one; what it was made from is what matters.
    origin = given.plan is not None or any(
        (run.get("provenance") or {}).get("inputs") for run in given.runs.values()
    )
    yield _item(
        "Files", "digests of the input files", origin or None, "report from the folder of the measurement"
    )
