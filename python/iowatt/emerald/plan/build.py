"""From what is asked to a plan: phases and times from the rules, rates and targets from the user."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan import addresses
from iowatt.emerald.plan.model import (
    PLAN_SCHEMA,
    Instrument,
    Plan,
    PlanDeviation,
    Role,
    Source,
    Stage,
    Target,
)
from iowatt.emerald.plan.workloads import FILL, RANDOM, SEQUENTIAL, span
from iowatt.emerald.rules import Rules, UnknownRuleError, load
from iowatt.sources.export.loads import outstanding_needed
from iowatt.sources.target import target_name

CATEGORIES: Final = ("online", "near-online", "removable-media-library", "virtual-media-library")
DEFAULT_OUTSTANDING: Final = 8
#: The response time that is made room for where no limit is known, in ms.
NO_LIMIT_MS: Final = 100.0
# A minute of fio must hold a window of its logs; a minute of vdbench a whole second.
_LEAST_SCALE: Final = {"fio": 0.001, "vdbench": 1 / 60, "simulation": 1e-4}
_OFFICIAL: Final = "vdbench"


@dataclass(frozen=True)
class Asked:
    """What a plan is made from; sizes in bytes, times in s before scaling, rates in requests per second."""

    source: Source
    #: None: those of the product.
    category: str | None = None
    class_: int | None = None
    rules: str = "emerald-4.0.0"
    #: Devices or files, or a scenario.
    targets: Sequence[str] = ()
    scenario: Path | None = None
    size_bytes: int | None = None
    block_size: int | None = None
    #: File that describes it, as for `iowatt emerald classify`.
    product: Path | None = None
    raw_capacity_bytes: int | None = None
    instruments: Sequence[Instrument] = ()
    time_scale: float = 1.0
    #: By phase; "" for all.
    rates: Mapping[str, float] = field(default_factory=dict)
    streams: Mapping[str, int] = field(default_factory=dict)
    outstanding: Mapping[str, int] = field(default_factory=dict)
    conditioning_s: float | None = None
    #: A period before it in which automatic tiering moves data.
    migration_s: float | None = None
    prefill: bool | None = None
    seed: int = 1
    name: str | None = None


def build(asked: Asked, folder: Path) -> tuple[Plan, Rules]:
    """The plan, and the rules with a record of what was used of them.

    Parameters
    ----------
    folder:
        Where the plan will lie: its scenario is named relative to it.

    Raises
    ------
    InputError
        Something asked is unknown, contradicts the rules, or the target cannot be measured so.
    """
    rules = load(asked.rules)
    if rules.find("phases.order", asked.category) is None:
        raise InputError(
            "not-applicable",
            Argument("rules"),
            f"{rules.name} has no test sequence",
            hint="emerald-4.0.0 has one",
        )
    described, asked = _product(asked, rules)
    _check(asked, rules)
    stages = _stages(asked, rules)
    target, raw = _target(asked, folder)
    deviations = _deviations(asked, rules, stages, described)
    plan = Plan.model_validate(
        {
            "schema": PLAN_SCHEMA,
            "name": asked.name or _name(asked, described, rules),
            "category": asked.category,
            "class": asked.class_,
            "product": described,
            "rules": rules.as_dict(),
            "source": asked.source,
            "target": target,
            "raw_capacity_bytes": asked.raw_capacity_bytes or raw,
            "time_scale": asked.time_scale,
            "deviations": deviations,
            "seed": asked.seed,
            "instruments": list(asked.instruments),
            "stages": stages,
        }
    )
    return plan, rules


def consulted(plan: Plan) -> Rules:
    """The rules of a plan that exists, with a record as if it were built again."""
    rules = load(plan.rules.profile)
    asked = Asked(
        category=plan.category, class_=plan.class_, source=plan.source, block_size=plan.target.block_size
    )
    rules.known(f"taxonomy.{plan.category}.classes")
    _deviations(asked, rules, _stages(asked, rules), plan.product)
    return rules


def _stages(asked: Asked, rules: Rules) -> list[Stage]:
    order = rules.names("phases.order", asked.category)
    _known("rate", asked.rates, [p for p in order if p in RANDOM])
    sequential = [p for p in order if p in SEQUENTIAL]
    _known("streams", asked.streams, ["", "prefill", *sequential])
    _known("outstanding", asked.outstanding, ["", "prefill", "conditioning", *order])
    if any(phase in RANDOM for phase in order):
        rules.known("response.mean_ms.random", asked.category)  # what their rates are found by
    if "HB" in order:
        rules.known("workloads.HB.sizes_4k" if _block(asked) == 4096 else "workloads.HB.sizes")
    return [
        *_prefill(asked, rules),
        *_migration(asked, rules, order),
        _conditioning(asked, rules, order),
        *(stage for phase in order for stage in _phase(asked, rules, phase)),
        _idle(asked, rules),
    ]


def limit_ms(rules: Rules, category: str) -> float | None:
    """The limit of the mean response time of random phases, in ms; None where nobody knows it."""
    try:
        return rules.number("response.mean_ms.random", category)
    except UnknownRuleError:
        return None


def _product(asked: Asked, rules: Rules) -> tuple[dict[str, Any], Asked]:
    """What is known of the product, and what is asked with its category and class where none were named."""
    if asked.product is None:
        return {}, asked
    from iowatt.emerald.classify import classify, read

    file = read(asked.product)
    found = classify(file, rules)
    described = file.product.model_dump(mode="json", by_alias=True, exclude_none=True)
    described["classified"] = found.id
    if asked.category is None:
        class_ = found.class_ if asked.class_ is None else asked.class_
        asked = replace(asked, category=found.category, class_=class_)
    return described, asked


def _check(asked: Asked, rules: Rules) -> None:
    if asked.category is None:
        raise InputError(
            "missing",
            Argument("category"),
            f"no category is given; expected {', '.join(CATEGORIES)}",
            hint="or give `product=FILE`, which says it",
        )
    if asked.category not in CATEGORIES:
        raise InputError(
            "not-accepted",
            Argument("category"),
            f"there is no test procedure for {asked.category!r}; expected {', '.join(CATEGORIES)}",
        )
    classes = rules.known(f"taxonomy.{asked.category}.classes") or []
    if asked.class_ is not None and asked.class_ not in classes:
        raise InputError(
            "not-accepted",
            Argument("class"),
            f"{asked.category} has no class {asked.class_}; expected {', '.join(map(str, classes))}",
        )
    if asked.block_size not in (None, 512, 4096):
        raise InputError(
            "not-accepted",
            Argument("block_size"),
            f"{asked.block_size} is not a block size; expected 512 or 4096",
        )
    least = _LEAST_SCALE[asked.source]
    if not least <= asked.time_scale <= 1:
        raise InputError(
            "out-of-range",
            Argument("time_scale"),
            f"{asked.time_scale:g} is not from {least:.3g} to 1 (a minute would be "
            f"{60 * asked.time_scale:.3g} s)",
        )
    if (asked.source == "simulation") != (asked.scenario is not None) or (asked.scenario is None) != bool(
        asked.targets
    ):
        needs, other = ("scenario", "target") if asked.source == "simulation" else ("target", "scenario")
        given = asked.scenario is not None if needs == "scenario" else bool(asked.targets)
        raise InputError(
            "conflict" if given else "missing",
            Argument(other if given else needs),
            f"the driver {asked.source} needs `{needs}=` and does not take `{other}=`",
        )
    names = [one.name for one in asked.instruments]
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            raise InputError(
                "bad-syntax",
                Argument("instrument"),
                f"{name!r} is not a name for a log; expected letters, digits, dots, dashes and underscores",
            )
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError("duplicate", Argument("instrument"), f"two instruments are called {twice.pop()!r}")
    for one in asked.instruments:
        addresses.check(one)


def _known(argument: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    wrong = next((phase for phase in given if phase not in known), None)
    if wrong is not None:
        expected = ", ".join(phase for phase in known if phase) or "none here"
        raise InputError(
            "not-accepted", Argument(argument), f"the phase {wrong!r} does not take it; expected {expected}"
        )


def _of(given: Mapping[str, int], phase: str, default: int) -> int:
    return given.get(phase, given.get("", default))


def _closed(asked: Asked, phase: str) -> dict[str, Any]:
    """As many requests at a time as asked, at least one for each stream."""
    streams = _of(asked.streams, phase, 1)
    outstanding = max(streams, _of(asked.outstanding, phase, DEFAULT_OUTSTANDING))
    return {"closed": True, "streams": streams, "outstanding": outstanding}


def _at_rate(asked: Asked, rules: Rules, rate: float | None, phase: str) -> dict[str, Any]:
    """A rate, and as many outstanding requests as are asked for, else as it needs at the limit."""
    load: dict[str, Any] = {"rate_iops": rate}
    if phase in asked.outstanding:
        load["outstanding"] = asked.outstanding[phase]
    elif rate is not None:
        load["outstanding"] = outstanding_needed(
            rate, (limit_ms(rules, str(asked.category)) or NO_LIMIT_MS) / 1e3
        )
    return load


def _prefill(asked: Asked, rules: Rules) -> list[Stage]:
    rule = rules.rule("phases.prefill.required", asked.category)
    # Where it is not required it is recommended, but for categories of which the rules say so themselves.
    never = not rule.value and rule.key.startswith(f"{asked.category}.")
    wanted = asked.source != "simulation" and not never if asked.prefill is None else asked.prefill
    if not wanted:
        return []
    # It has the streams of SW where none are named: the official script hints at as many threads.
    phase = "prefill" if {"prefill"} & {*asked.streams, *asked.outstanding} else "SW"
    return [
        Stage(
            id="prefill",
            phase="prefill",
            role="prefill",
            workload=FILL,
            interval_s=_interval(asked, rules),
            **_closed(asked, phase),
        )
    ]


def _conditioning(asked: Asked, rules: Rules, order: Sequence[str]) -> Stage:
    workload = str(rules.value("phases.conditioning.workload", asked.category))
    if workload not in (*RANDOM, *SEQUENTIAL):
        raise InputError(
            "unsupported",
            rules.name,
            f"conditioning by {workload!r} is not supported; expected {', '.join((*RANDOM, *SEQUENTIAL))}",
        )
    ruled = rules.number("phases.conditioning.duration_s", asked.category)
    if workload in SEQUENTIAL:
        load = _closed(asked, "conditioning" if "conditioning" in asked.outstanding else workload)
    elif asked.source == "vdbench":
        # `iorate=max` with skews keeps the shares.
        load = {"closed": True, "outstanding": _of(asked.outstanding, "conditioning", 64)}
    else:
        rate = _rate(asked, rules, workload) if workload in order else None
        load = _at_rate(asked, rules, rate, "conditioning")
    return Stage(
        id="conditioning",
        phase="conditioning",
        role="conditioning",
        workload=workload,
        seconds=(asked.conditioning_s or ruled) * asked.time_scale,
        rule_seconds=ruled,
        interval_s=_interval(asked, rules),
        **load,
    )


def _migration(asked: Asked, rules: Rules, order: Sequence[str]) -> list[Stage]:
    """The same requests as in conditioning, for as long as tiering needs to move data."""
    if asked.migration_s is None:
        return []
    if not rules.known("phases.migration.allowed", asked.category):
        raise InputError("not-applicable", Argument("migration"), f"{rules.name} has no period of migration")
    like = _conditioning(asked, rules, order)
    seconds = asked.migration_s * asked.time_scale
    return [
        like.model_copy(
            update={"id": "migration", "phase": "migration", "seconds": seconds, "rule_seconds": None}
        )
    ]


def _phase(asked: Asked, rules: Rules, phase: str) -> list[Stage]:
    parts: tuple[tuple[Role, str], ...] = (("warmup", "stabilisation_s"), ("measurement", "measurement_s"))
    if phase in SEQUENTIAL:
        load = _closed(asked, phase)
    else:
        load = _at_rate(asked, rules, _rate(asked, rules, phase), phase)
    found = []
    for role, rule in parts:
        ruled = rules.number(f"phases.active.{rule}", asked.category)
        found.append(
            Stage(
                id=f"{phase}-warmup" if role == "warmup" else phase,
                phase=phase,
                role=role,
                workload=phase,
                seconds=ruled * asked.time_scale,
                rule_seconds=ruled,
                interval_s=_interval(asked, rules),
                **load,
            )
        )
    return found


def _rate(asked: Asked, rules: Rules, phase: str) -> float | None:
    """The rate of a random phase, where it is given or follows from another's."""
    if phase in asked.rates:
        return asked.rates[phase]
    base = rules.known(f"workloads.{phase}.intensity_of", asked.category)
    if base is None or base not in asked.rates:
        return None
    return asked.rates[base] * rules.number(f"workloads.{phase}.intensity_percent", asked.category) / 100


def _idle(asked: Asked, rules: Rules) -> Stage:
    ruled = rules.number("phases.ready_idle.duration_s", asked.category)
    return Stage(
        id="ready-idle",
        phase="RI",
        role="idle",
        seconds=ruled * asked.time_scale,
        rule_seconds=ruled,
        interval_s=_interval(asked, rules),
    )


def _interval(asked: Asked, rules: Rules) -> float:
    return rules.number("phases.active.interval_s", asked.category) * asked.time_scale


def _target(asked: Asked, folder: Path) -> tuple[Target, int | None]:
    """The target, and the raw capacity where a scenario says it."""
    if asked.scenario is not None:
        from iowatt.model.scenario import load as load_scenario
        from iowatt.model.scenario.describe import describe

        described = describe(load_scenario(asked.scenario), asked.scenario.parent)
        relative = os.path.relpath(asked.scenario.resolve(), folder.resolve())
        return Target(scenario=relative, block_size=_block(asked)), described["raw_bytes"]
    for path in asked.targets:
        target_name(path)
    paths = [os.path.abspath(path) for path in asked.targets]  # noqa: PTH100  (links stay what they are)
    if any("," in path for path in paths):
        raise InputError("bad-syntax", Argument("target"), "the name of a target has a comma")
    if len(set(paths)) < len(paths):
        raise InputError("duplicate", Argument("target"), "the same target is given twice")
    return Target(path=",".join(paths), size_bytes=_size(asked, paths), block_size=_block(asked)), None


def _size(asked: Asked, paths: Sequence[str]) -> int:
    """The tested range as it will be: whole requests of 256 KiB on each target."""
    asking = Plan.model_construct(target=Target(path=",".join(paths), size_bytes=asked.size_bytes))
    tested = span(asking)
    for path in paths:
        kept = _bytes(path)
        if kept is not None and kept < tested.bytes_each:
            raise InputError(
                "out-of-range",
                path,
                f"the target has {kept} bytes, fewer than the {tested.bytes_each} to be tested on it",
                hint="give a smaller `size=`, or leave it out to test the whole target",
            )
    return tested.bytes_each * len(paths)


def _bytes(path: str) -> int | None:
    from iowatt.emerald.plan.workloads import bytes_of

    found = bytes_of(path)
    if found is None and os.path.lexists(path):
        raise InputError(
            "wrong-kind",
            path,
            "is not a file or block device that can be read",
            hint="name one with `target=`",
        )
    # A file that is not there, or still empty, is made by the measurement.
    return found or None


def _block(asked: Asked) -> Any:
    """Logical block size: as given, or as the kernel says it of all devices, else 512."""
    if asked.block_size is not None:
        return asked.block_size
    sizes = {_logical_block(path) for path in asked.targets}
    return 4096 if 4096 in sizes else 512


def _logical_block(path: str) -> int:
    try:
        name = Path(path).resolve(strict=True).name
        for place in (f"/sys/class/block/{name}/queue", f"/sys/class/block/{name}/../queue"):
            said = Path(place, "logical_block_size")
            if said.exists():
                return int(said.read_text("ascii"))
    except (OSError, ValueError):
        pass
    return 512


def _deviations(
    asked: Asked, rules: Rules, stages: Sequence[Stage], described: Mapping[str, Any]
) -> list[PlanDeviation]:
    """Why results of this plan are no Emerald results, the gravest first."""
    return [PlanDeviation(code=code, text=text) for code, text in _against(asked, rules, stages, described)]


def _against(
    asked: Asked, rules: Rules, stages: Sequence[Stage], described: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    yield from _of_another_kind(asked, described)
    if asked.time_scale != 1:
        text = f"Dry run: all times are {asked.time_scale:g} of the rules'; its figures prove nothing"
        yield "dry-run", text
    tool = rules.known("driver.tool", asked.category)
    if asked.source == "fio" and tool == _OFFICIAL:
        text = f"Emerald-like (fio): version {rules.version} requires vdbench and the official script"
        yield "driver-other", text
    if asked.source == "vdbench" and tool == _OFFICIAL:
        script = rules.known("driver.script", asked.category)
        said = f"the official script{'' if script is None else f' {script}'}"
        text = f"Emerald-like (vdbench): version {rules.version} requires {said}; these files are iowatt's"
        yield "driver-script", text
    if asked.source == "simulation":
        yield "modelled", "Modelled: a simulated array, not a measurement"
    files = [path for path in asked.targets if not _is_device(path)]
    if files:
        yield "file-system", f"Measured through a file system: {', '.join(files)} is no block device"
    conditioning = next(stage for stage in stages if stage.id == "conditioning")
    if asked.conditioning_s is not None and asked.conditioning_s < (conditioning.rule_seconds or 0):
        text = f"Conditioning of {asked.conditioning_s:g} s in place of {conditioning.rule_seconds:g} s"
        yield "conditioning-short", text
    if asked.prefill is False and rules.value("phases.prefill.required", asked.category):
        yield "no-prefill", "No pre-fill: the tested range may hold addresses that were never written"


def _of_another_kind(asked: Asked, described: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A plan for another category or class than the product's own is no measurement of that product."""
    if "classified" not in described:
        return
    classified = described["classified"] or "in no category"
    planned = asked.category if asked.class_ is None else f"{asked.category}-{asked.class_}"
    if classified in (asked.category, planned):
        return
    if asked.class_ is None and str(classified).startswith(f"{asked.category}-"):
        return
    yield (
        "class-other",
        f"Another category or class: by its description the product is {classified}; "
        f"this plan is for {planned}",
    )


def _is_device(path: str) -> bool:
    try:
        return Path(path).is_block_device()
    except OSError:
        return False


def _name(asked: Asked, described: Mapping[str, Any], rules: Rules) -> str:
    if described:
        return f"{described['vendor']} {described['name']}"
    what = asked.scenario.stem if asked.scenario is not None else Path(asked.targets[0]).name
    return f"{what}, {rules.name}"
