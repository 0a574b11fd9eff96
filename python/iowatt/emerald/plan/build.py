"""A plan from a request: phases and times from the rules, rates and targets from the user."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.phases import FILE_ACCESS, FILL, RANDOM, SEQUENTIAL
from iowatt.emerald.plan import instruments
from iowatt.emerald.plan.load.workloads import bytes_of, span
from iowatt.emerald.plan.model import (
    PLAN_SCHEMA,
    Plan,
    PlanDeviation,
    PlannedHost,
    PlannedInstrument,
    PlanStage,
    Role,
    Source,
    Target,
)
from iowatt.emerald.rules import Rules, UnknownRuleError, load
from iowatt.sources.export import outstanding_needed
from iowatt.sources.target import target_name

CATEGORIES: Final = ("online", "near-online", "removable-media-library", "virtual-media-library")
#: Single drives, by rules whose metrics are those of devices.
DEVICE: Final = "device"
#: Largest seed of a plan: stage seed = 1000 x plan seed + stage number < 2**53.
_MOST_SEED: Final = 1 << 40
DEFAULT_OUTSTANDING: Final = 8
_NO_LIMIT_MS: Final = 100.0  #: The mean response time that plans allow for where no limit is known, in ms.
# A minute of fio must hold a window of its logs; a minute of vdbench a whole second.
_LEAST_SCALE: Final = {"fio": 0.001, "vdbench": 1 / 60, "simulation": 1e-4, "files": 0.001}
_OFFICIAL: Final = "vdbench"


@dataclass(frozen=True)
class PlanRequest:
    """The inputs of a plan; sizes in bytes, times in s before scaling, rates in requests per second."""

    source: Source
    category: str | None = None  #: None: those of the product.
    class_: int | None = None
    rules: str = "emerald"
    targets: Sequence[str] = ()  #: Devices or files, or a scenario.
    scenario: Path | None = None
    size_bytes: int | None = None
    block_size: int | None = None
    product: Path | None = None  #: Its description, as for `iowatt emerald classify`.
    raw_capacity_bytes: int | None = None
    instruments: Sequence[PlannedInstrument] = ()
    hosts: Sequence[PlannedHost] = ()  #: Load hosts; none: the one that conducts.
    time_scale: float = 1.0
    rates: Mapping[str, float] = field(default_factory=dict)  #: By phase; "" for all.
    streams: Mapping[str, int] = field(default_factory=dict)
    outstanding: Mapping[str, int] = field(default_factory=dict)
    conditioning_s: float | None = None
    migration_s: float | None = None  #: Length of a period before it in which automatic tiering moves data.
    prefill: bool | None = None
    seed: int = 1
    name: str | None = None

    @property
    def system_class(self) -> str | None:
        """Category and class: ``online-3``."""
        return self.category if self.class_ is None else f"{self.category}-{self.class_}"


def build(request: PlanRequest, folder: Path) -> tuple[Plan, Rules]:
    """The plan, and the rules with a record of those that were used.

    ``folder``: the folder of the plan: its scenario is named relative to it.
    Raises ``InputError``: the request has unknown names or contradicts the rules, or the target cannot be
    measured.
    """
    rules = load(request.rules)
    if rules.find("phases.order", request.category) is None:
        text, hint = f"{rules.name} has no test sequence", "`rules=emerald` has one"
        raise InputError("not-applicable", Argument("rules"), text, hint=hint)
    product, request = _product(request, rules)
    if request.category is None and _of_devices(rules):
        request = replace(request, category=DEVICE)
    _check(request, rules)
    stages = _Sequence(request, rules).stages()
    target, raw = _target(request, folder)
    deviations = _deviations(request, rules, stages, product)
    plan = Plan.model_validate(
        {
            "schema": PLAN_SCHEMA,
            "name": request.name or _name(request, product, rules),
            "category": request.category,
            "class": request.class_,
            "product": product,
            "rules": rules.reference().as_dict(),
            "source": request.source,
            "target": target,
            "raw_capacity_bytes": request.raw_capacity_bytes or raw,
            "time_scale": request.time_scale,
            "deviations": deviations,
            "seed": request.seed,
            "instruments": list(request.instruments),
            "hosts": list(request.hosts),
            "stages": stages,
        }
    )
    return plan, rules


def rules_of_plan(plan: Plan) -> Rules:
    """The rules of an existing plan, with the record that building it again would leave."""
    rules = load(plan.rules.profile)
    request = PlanRequest(
        category=plan.category, class_=plan.class_, source=plan.source, block_size=plan.target.block_size
    )
    rules.known(f"taxonomy.{plan.category}.classes")
    _deviations(request, rules, _Sequence(request, rules).stages(), plan.product)
    return rules


def limit_ms(rules: Rules, category: str) -> float | None:
    """The limit of the mean response time of random phases, in ms; None where it is not known."""
    try:
        return rules.number("response.mean_ms.random", category)
    except UnknownRuleError:
        return None


def outstanding_at(rate: float, limit_ms: float | None) -> int:
    """Requests outstanding that a rate (requests per second) needs up to the limit of the mean response time.

    Without a limit it is taken to be 100 ms.
    """
    return outstanding_needed(rate, (limit_ms or _NO_LIMIT_MS) / 1e3)


def _product(request: PlanRequest, rules: Rules) -> tuple[dict[str, Any], PlanRequest]:
    """The product, and the request with its category and class where none were given."""
    if request.product is None:
        return {}, request
    from iowatt.emerald.classify import classify, read

    file = read(request.product)
    found = classify(file, rules)
    product = file.product.model_dump(mode="json", by_alias=True, exclude_none=True)
    product["classified"] = found.id
    if request.category is None:
        class_ = found.class_ if request.class_ is None else request.class_
        request = replace(request, category=found.category, class_=class_)
    return product, request


def _of_devices(rules: Rules) -> bool:
    """Whether the rules are of single drives."""
    family = rules.find("metrics.family")
    return family is not None and family.value == DEVICE


def _check(request: PlanRequest, rules: Rules) -> None:
    categories = ", ".join(CATEGORIES)
    if request.category is None:
        text, hint = f"no category is given; expected {categories}", "or give `product=FILE`"
        raise InputError("missing", Argument("category"), text, hint=hint)
    _check_device(request, rules)
    if request.category not in (*CATEGORIES, DEVICE):
        text = f"there is no test procedure for {request.category!r}; expected {categories}"
        raise InputError("not-accepted", Argument("category"), text)
    classes = rules.known(f"taxonomy.{request.category}.classes") or []
    if request.class_ is not None and request.class_ not in classes:
        expected = ", ".join(map(str, classes))
        text = f"{request.category} has no class {request.class_}; expected {expected}"
        raise InputError("not-accepted", Argument("class"), text)
    if request.block_size not in (None, 512, 4096):
        text = f"{request.block_size} is not a block size; expected 512 or 4096"
        raise InputError("not-accepted", Argument("block_size"), text)
    scale, least = request.time_scale, _LEAST_SCALE[request.source]
    if not least <= scale <= 1:
        text = f"{scale:g} is not from {least:.3g} to 1 (a minute would be {60 * scale:.3g} s)"
        raise InputError("out-of-range", Argument("time_scale"), text)
    if not 0 <= request.seed <= _MOST_SEED:
        text = f"{request.seed} is out of range; expected 0 to {_MOST_SEED}"
        raise InputError("out-of-range", Argument("seed"), text)
    given = {"scenario": request.scenario is not None, "target": bool(request.targets)}
    needs, other = ("scenario", "target") if request.source == "simulation" else ("target", "scenario")
    if given[other] or not given[needs]:
        text = f"the driver {request.source} needs `{needs}=` and does not take `{other}=`"
        code, argument = ("conflict", other) if given[needs] else ("missing", needs)
        raise InputError(code, Argument(argument), text)
    names = [one.name for one in request.instruments]
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            text = f"{name!r} is not a name for a log; expected letters, digits, dots, dashes and underscores"
            raise InputError("bad-syntax", Argument("meter"), text)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("duplicate", Argument("meter"), f"two instruments are called {twice!r}")
    for one in request.instruments:
        instruments.check(one)


def _check_device(request: PlanRequest, rules: Rules) -> None:
    """Single drives have rules of their own, one drive at a time."""
    if (request.category == DEVICE) != _of_devices(rules):
        text = f"{rules.name} has no test sequence for {request.category}"
        hint = f"single drives have the category {DEVICE} and `rules=emerald-device-1.0`"
        raise InputError("conflict", Argument("category"), text, hint=hint)
    if request.category == DEVICE and len(request.targets) > 1:
        text = f"{len(request.targets)} targets; a device is measured by itself"
        raise InputError("not-accepted", Argument("target"), text)


class _Sequence:
    """The test sequence of a category: its stages, each with the times that the rules require."""

    def __init__(self, request: PlanRequest, rules: Rules) -> None:
        self.request, self.rules = request, rules
        self.order = rules.names("phases.order", request.category)

    def stages(self) -> list[PlanStage]:
        """All stages in order."""
        request, sequential = self.request, [phase for phase in self.order if phase in SEQUENTIAL]
        self._check_driver()
        rated = [phase for phase in self.order if phase not in SEQUENTIAL]
        self._refuse_unknown("rate", request.rates, rated)
        self._refuse_unknown("streams", request.streams, ["", "prefill", *sequential])
        self._refuse_unknown("outstanding", request.outstanding, ["", "prefill", "conditioning", *self.order])
        if any(phase in RANDOM for phase in self.order):
            self._known("response.mean_ms.random")  # their rates depend on it
        if "HB" in self.order:
            self.rules.known(
                "workloads.HB.sizes_4k" if _block_size(request) == 4096 else "workloads.HB.sizes"
            )
        return [
            *self._prefill(),
            *self._migration(),
            self._conditioning(),
            *(stage for phase in self.order for stage in self._phase(phase)),
            self._stage("ready-idle", "RI", "idle", ruled=self._number("phases.ready_idle.duration_s")),
        ]

    def _check_driver(self) -> None:
        """File access has a load generator of its own."""
        file = any(phase in FILE_ACCESS for phase in self.order)
        if file and self.request.source != "files":
            text, hint = f"{self.rules.name} tests file access", "`driver=files` makes operations on files"
            raise InputError("conflict", Argument("driver"), text, hint=hint)
        if self.request.source == "files" and not file:
            text = f"{self.rules.name} has no phases of file access"
            hint = "`rules=emerald-4.0.0-file` has them"
            raise InputError("conflict", Argument("rules"), text, hint=hint)

    def _refuse_unknown(self, argument: str, values: Mapping[str, Any], known: Sequence[str]) -> None:
        wrong = next((phase for phase in values if phase not in known), None)
        if wrong is not None:
            expected = ", ".join(phase for phase in known if phase) or "none here"
            text = f"the phase {wrong!r} does not take it; expected {expected}"
            raise InputError("not-accepted", Argument(argument), text)

    def _number(self, key: str) -> float:
        return self.rules.number(key, self.request.category)

    def _known(self, key: str) -> Any:
        return self.rules.known(key, self.request.category)

    def _stage(
        self, id_: str, phase: str, role: Role, *, ruled: float | None, own: float | None = None, **load: Any
    ) -> PlanStage:
        """A stage of the length ``own``, else ``ruled`` (s, before scaling); None: until it has ended."""
        seconds, scale = own or ruled, self.request.time_scale
        return PlanStage(
            id=id_,
            phase=phase,
            role=role,
            seconds=None if seconds is None else seconds * scale,
            rule_seconds=ruled,
            interval_s=self._number("phases.active.interval_s") * scale,
            **load,
        )

    def _closed(self, phase: str) -> dict[str, Any]:
        """A loop of the outstanding requests given, at least one for each stream."""
        streams = _by_phase(self.request.streams, phase, 1)
        outstanding = max(streams, _by_phase(self.request.outstanding, phase, DEFAULT_OUTSTANDING))
        return {"closed": True, "streams": streams, "outstanding": outstanding}

    def _at_rate(self, rate: float | None, phase: str) -> dict[str, Any]:
        """A rate, and the outstanding requests given, else those that it needs at the limit."""
        load: dict[str, Any] = {"rate_iops": rate}
        if phase in self.request.outstanding:
            load["outstanding"] = self.request.outstanding[phase]
        elif rate is not None:
            load["outstanding"] = outstanding_at(rate, limit_ms(self.rules, str(self.request.category)))
        return load

    def _prefill(self) -> Iterator[PlanStage]:
        request = self.request
        rule = self.rules.rule("phases.prefill.required", request.category)
        # Where it is not required it is recommended, unless the category's own rules say otherwise.
        never = not rule.value and rule.key.startswith(f"{request.category}.")
        wanted = request.source != "simulation" and not never if request.prefill is None else request.prefill
        if wanted:
            # By default it has the streams of SW: the official script hints at as many threads.
            phase = "prefill" if {"prefill"} & {*request.streams, *request.outstanding} else "SW"
            load = self._closed(phase)
            yield self._stage("prefill", "prefill", "prefill", ruled=None, workload=FILL, **load)

    def _conditioning(self) -> PlanStage:
        request, rules = self.request, self.rules
        workload = str(rules.value("phases.conditioning.workload", request.category))
        if workload not in (*RANDOM, *SEQUENTIAL, *FILE_ACCESS):
            expected = ", ".join((*RANDOM, *SEQUENTIAL, *FILE_ACCESS))
            text = f"conditioning by {workload!r} is not supported; expected {expected}"
            raise InputError("unsupported", rules.name, text)
        ruled = self._number("phases.conditioning.duration_s")
        if workload in SEQUENTIAL:
            load = self._closed("conditioning" if "conditioning" in request.outstanding else workload)
        elif request.source == "vdbench":
            # `iorate=max` with skews keeps the shares.
            load = {"closed": True, "outstanding": _by_phase(request.outstanding, "conditioning", 64)}
        else:
            load = self._at_rate(self._rate(workload) if workload in self.order else None, "conditioning")
        own = request.conditioning_s
        return self._stage(
            "conditioning", "conditioning", "conditioning", ruled=ruled, own=own, workload=workload, **load
        )

    def _migration(self) -> Iterator[PlanStage]:
        """The requests of conditioning, for as long as tiering needs to move data."""
        if self.request.migration_s is None:
            return
        if not self._known("phases.migration.allowed"):
            text = f"{self.rules.name} has no period of migration"
            raise InputError("not-applicable", Argument("migration"), text)
        seconds = self.request.migration_s * self.request.time_scale
        update = {"id": "migration", "phase": "migration", "seconds": seconds, "rule_seconds": None}
        yield self._conditioning().model_copy(update=update)

    def _phase(self, phase: str) -> Iterator[PlanStage]:
        closed = phase in SEQUENTIAL or self._is_given_outstanding(phase)
        load = self._closed(phase) if closed else self._at_rate(self._rate(phase), phase)
        for id_, role, rule in (
            (f"{phase}-warmup", "warmup", "stabilisation_s"),
            (phase, "measurement", "measurement_s"),
        ):
            ruled = self._number(f"phases.active.{rule}")
            yield self._stage(id_, phase, role, ruled=ruled, workload=phase, **load)  # type: ignore[arg-type]

    def _is_given_outstanding(self, phase: str) -> bool:
        """Whether a random phase of a device runs with so many outstanding, which stand for a scan's."""
        request = self.request
        given = phase in request.outstanding and phase not in request.rates
        return request.category == DEVICE and given

    def _rate(self, phase: str) -> float | None:
        """The rate of a random phase, where it is given or follows from another's."""
        rates = self.request.rates
        if phase in rates:
            return rates[phase]
        base = self._known(f"workloads.{phase}.intensity_of")
        if base is None or base not in rates:
            return None
        return rates[base] * self._number(f"workloads.{phase}.intensity_percent") / 100


def _by_phase(values: Mapping[str, int], phase: str, default: int) -> int:
    return values.get(phase, values.get("", default))


def _target(request: PlanRequest, folder: Path) -> tuple[Target, int | None]:
    """The target, and its raw capacity where a scenario states it."""
    if request.scenario is not None:
        from iowatt.model.scenario import check

        relative = os.path.relpath(request.scenario.resolve(), folder.resolve())
        return Target(scenario=relative, block_size=_block_size(request)), check(request.scenario).raw_bytes
    for path in request.targets:
        target_name(path)
    paths = [os.path.abspath(path) for path in request.targets]  # noqa: PTH100  (links stay links)
    if any("," in path for path in paths):
        raise InputError("bad-syntax", Argument("target"), "the name of a target has a comma")
    if len(set(paths)) < len(paths):
        raise InputError("duplicate", Argument("target"), "the same target is given twice")
    if request.source == "files":
        return _directory(request, paths), None
    size, block_size = _size(request, paths), _block_size(request)
    return Target(path=",".join(paths), size_bytes=size, block_size=block_size), None


def _directory(request: PlanRequest, paths: Sequence[str]) -> Target:
    """The directory of the file system under test."""
    if len(paths) != 1:
        raise InputError("not-accepted", Argument("target"), "file access has one directory as its target")
    if os.path.lexists(paths[0]) and not Path(paths[0]).is_dir():
        raise InputError("wrong-kind", paths[0], "is not a directory, which file access needs")
    if request.size_bytes is None:
        text = "file access needs the size of all files together"
        raise InputError("missing", Argument("size"), text, hint="well above the memory of host and system")
    return Target(path=paths[0], size_bytes=request.size_bytes)


def _size(request: PlanRequest, paths: Sequence[str]) -> int:
    """The tested range: whole requests of 256 KiB on each target."""
    target = Target(path=",".join(paths), size_bytes=request.size_bytes)
    tested = span(Plan.model_construct(target=target))
    for path in paths:
        size = bytes_of(path)
        if size is None and os.path.lexists(path):
            text = "is not a file or block device that can be read"
            raise InputError("wrong-kind", path, text, hint="add `target=PATH`")
        # A missing or empty file is made by the measurement.
        if size and size < tested.bytes_each:
            text = f"the target has {size} bytes, fewer than the {tested.bytes_each} to be tested on it"
            hint = "give a smaller `size=`, or leave it out to test the whole target"
            raise InputError("out-of-range", path, text, hint=hint)
    return tested.bytes_each * len(paths)


def _block_size(request: PlanRequest) -> Literal[512, 4096]:
    """Logical block size: as given, else 4096 where the kernel reports it of a target, else 512."""
    size = request.block_size
    return 4096 if size == 4096 or (size is None and 4096 in map(_logical_block, request.targets)) else 512


def _logical_block(path: str) -> int:
    try:
        name = Path(path).resolve(strict=True).name
        for place in (f"/sys/class/block/{name}/queue", f"/sys/class/block/{name}/../queue"):
            size = Path(place, "logical_block_size")
            if size.exists():
                return int(size.read_text("ascii"))
    except (OSError, ValueError):
        pass
    return 512


def _deviations(
    request: PlanRequest, rules: Rules, stages: Sequence[PlanStage], product: Mapping[str, Any]
) -> list[PlanDeviation]:
    """Why results of this plan are not Emerald results, the gravest first."""
    reasons = _reasons(request, rules, stages, product)
    return [PlanDeviation(code=code, text=text) for code, text in reasons]


def _reasons(
    request: PlanRequest, rules: Rules, stages: Sequence[PlanStage], product: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    if "classified" in product:
        # A plan for another category or class than the product's does not measure that product.
        classified = str(product["classified"] or "in no category")
        any_class = request.class_ is None and classified.startswith(f"{request.category}-")
        if not any_class and classified not in (request.category, request.system_class):
            own = f"by its description the product is {classified}"
            yield "class-other", f"Another category or class: {own}; this plan is for {request.system_class}"
    if request.category == DEVICE:
        rules.known("workloads.complex.streams"), rules.known("driver.outstanding")
        yield (
            "rules-unread",
            "The device specification was not read: order, times and workloads are unverified",
        )
        yield "phase-missing", "Without its complex mixed workload, whose streams are not known"
        fixed = [stage.phase for stage in stages if stage.role == "measurement" and stage.closed]
        given = [phase for phase in fixed if phase in RANDOM]
        if given:
            text = f"Requests outstanding of {', '.join(given)} are given; the rules scan for the best"
            yield "outstanding-given", text
    if request.time_scale != 1:
        text = f"Dry run: all times are {request.time_scale:g} of the rules'; its figures prove nothing"
        yield "dry-run", text
    tool = rules.known("driver.tool", request.category)
    if request.source == "fio" and tool == _OFFICIAL:
        text = f"Emerald-like (fio): version {rules.version} requires vdbench and the official script"
        yield "driver-other", text
    if request.source == "vdbench" and tool == _OFFICIAL:
        name = rules.known("driver.script", request.category)
        script = f"the official script{'' if name is None else f' {name}'}"
        text = f"Emerald-like (vdbench): version {rules.version} requires {script}; these files are iowatt's"
        yield "driver-script", text
    if request.source == "files":
        named = tool or "SPEC SFS"
        text = f"In the manner of {named}, and not it: operations on files by iowatt are not comparable"
        yield "driver-other", text
        return
    if request.source == "simulation":
        yield "modelled", "Modelled: a simulated array, not a measurement"
    files = [path for path in request.targets if not _is_device(path)]
    if files:
        text = f"Measured through a file system: {', '.join(files)} is not a block device"
        yield "file-system", text
    ruled = next(stage.rule_seconds for stage in stages if stage.id == "conditioning") or 0
    if request.conditioning_s is not None and request.conditioning_s < ruled:
        text = f"Conditioning of {request.conditioning_s:g} s in place of {ruled:g} s"
        yield "conditioning-short", text
    if request.prefill is False and rules.value("phases.prefill.required", request.category):
        yield "no-prefill", "No pre-fill: the tested range may hold addresses that were never written"


def _is_device(path: str) -> bool:
    try:
        return Path(path).is_block_device()
    except OSError:
        return False


def _name(request: PlanRequest, product: Mapping[str, Any], rules: Rules) -> str:
    if product:
        return f"{product['vendor']} {product['name']}"
    target = request.scenario.stem if request.scenario is not None else Path(request.targets[0]).name
    return f"{target}, {rules.name}"
