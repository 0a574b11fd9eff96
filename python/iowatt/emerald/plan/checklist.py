"""The check-list before the first request: instruments, driver, system; with the rules behind it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

from iowatt.emerald.plan.instruments import is_awaited, public_source
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.result import ChecklistItem, ItemState
from iowatt.emerald.rules import Rule, Rules
from iowatt.sources.environment import fio_version, java


def items(plan: Plan, rules: Rules, *, modelled_power: bool = False) -> list[ChecklistItem]:
    """The list for a plan; ``modelled_power``: whether its scenario has the power of the whole array."""
    if plan.source == "simulation":
        state: ItemState = "in place" if modelled_power else "missing"
        wall = _item(
            "power", "wall power is modelled: the scenario has [array.power], or libraries alone", state
        )
        return [wall, *_system(plan, rules)]
    return [*_instruments(plan, rules), *_driver(plan, rules), *_system(plan, rules)]


def _item(topic: str, text: str, state: ItemState, rule: Rule | None = None) -> ChecklistItem:
    key, verified = (None, None) if rule is None else (rule.key, rule.verified)
    return ChecklistItem(topic=topic, text=text, state=state, rule=key, verified=verified)


def _ruled(plan: Plan, rules: Rules, topic: str, key: str, text: str) -> Iterator[ChecklistItem]:
    """A task with the value of a rule in its text, where the rules have one."""
    rule = rules.find(key, plan.category)
    if rule is not None and rule.value is not None:
        yield _item(topic, text.format(_words(rule.value)), "to do", rule)


def _instruments(plan: Plan, rules: Rules) -> Iterator[ChecklistItem]:
    for role, words in (("power", "power meters"), ("temperature", "thermometers")):
        own = [one for one in plan.instruments if one.role == role]
        option = "--meter" if role == "power" else "--thermometer"
        if own:
            listed = ", ".join(f"{one.name} ({public_source(one.source)})" for one in own)
            yield _item(role, f"{words}: {listed}; try each with `iowatt meter read`", "to do")
            waits = ", ".join(one.name for one in own if is_awaited(one))
            if waits:
                yield _item(role, f"logs that do not exist yet: {waits}", "to do")
        else:
            yield _item(role, f"no {words} in the plan; name them with {option} NAME=SOURCE", "missing")
    power, heat = "instruments.power", "instruments.temperature"
    for topic, key, text in (
        ("power", f"{power}.sampling_s", "a sample at least every {} s"),
        ("power", f"{power}.accuracy_percent", "accuracy of {} % of the input power, calibrated"),
        ("power", f"{power}.resolution", "resolution: {}"),
        ("power", f"{power}.meters", "meters {}"),
        ("power", "instruments.voltage.ranges", "input voltage: {}"),
        ("power", "instruments.frequency.range_hz", "mains frequency: {} Hz"),
        ("temperature", f"{heat}.sampling_s", "a sample at least every {} s"),
        ("temperature", f"{heat}.resolution_celsius", "resolution of {} degC"),
        ("temperature", f"{heat}.place", "place: {}"),
        ("temperature", f"{heat}.class", "environment: {}"),
        ("clock", "instruments.clock.apart_s", "clocks of driver and meters at most {} s apart (NTP)"),
    ):  # fmt: skip
        yield from _ruled(plan, rules, topic, key, text)
    text = "every supply of the system under test draws through a meter; hosts and switches do not"
    yield _item("power", text, "to do")


def _driver(plan: Plan, rules: Rules) -> Iterator[ChecklistItem]:
    if plan.source == "files":
        yield _item("driver", "file operations are made by iowatt itself", "in place")
        tool = rules.find("driver.tool", plan.category)
        named = "SPEC SFS" if tool is None else _words(tool.value)
        text = f"{named}, as the rules require: licensed; its results are imported"
        yield _item("driver", text, "not possible", tool)
        return
    version = fio_version() if plan.source == "fio" else shutil.which(plan.source)
    text = f"{plan.source} is {'not installed' if version is None else f'installed: {version}'}"
    yield _item("driver", text, "missing" if version is None else "in place")
    tool = rules.find("driver.tool", plan.category)
    required = None if tool is None else tool.value
    if required in (None, "any", plan.source):
        for key, text in (
            ("driver.tool", "the rules require the driver: {}"),
            ("driver.versions", "of versions {}"),
            ("driver.script", "official script {}"),
        ):
            for item in _ruled(plan, rules, "driver", key, text):
                met = key == "driver.tool" and required == plan.source
                yield item.model_copy(update={"state": "in place"}) if met else item
    else:
        # Versions and script apply to the other driver only.
        script = f"{_words(required)} and the official script, as the rules require"
        text = f"{script}: not possible with {plan.source}: Emerald-like"
        yield _item("driver", text, "not possible", tool)
    yield from _ruled(plan, rules, "driver", "driver.hosts", "hosts: {}")
    if plan.source == "vdbench":
        accepted, text = java()
        yield _item("driver", text, "in place" if accepted else "missing")


def _system(plan: Plan, rules: Rules) -> Iterator[ChecklistItem]:
    if plan.raw_capacity_bytes is None:
        text = "raw capacity is not in the plan (--raw-capacity); the ready-idle metric needs it"
        yield _item("system", text, "missing")
    else:
        yield _item("system", f"raw capacity: {plan.raw_capacity_bytes / 1e9:,.3f} GB", "in place")
    if plan.source != "simulation":
        if plan.source != "files":
            yield _item("system", f"nothing of value on {plan.target.path}: it is overwritten", "to do")
        yield _item("system", "operating temperature reached; all devices and supplies work", "to do")
    during = rules.find("com.during_active", plan.category)
    if during is not None:
        words = during.value if during.value is not None else f"not known ({during.unknown})"
        yield _item("system", f"capacity optimisation during the active test: {words}", "to do", during)
    frozen = rules.find("phases.uninterrupted", plan.category)
    text = "no change of configuration or tuning from conditioning to the end of ready idle"
    yield _item("system", text, "to do", frozen)
    rated = [stage for stage in plan.stages if stage.role == "measurement" and not stage.closed]
    unrated = [stage.phase for stage in rated if stage.rate_iops is None]
    if unrated:
        yield _item("rates", f"not found yet: {', '.join(unrated)}; `iowatt emerald calibrate`", "missing")
    elif rated:
        given = ", ".join(stage.phase for stage in rated)
        yield _item("rates", f"given: {given}", "in place")


def _words(value: Any) -> str:
    """The value of a rule in words."""
    if isinstance(value, list):
        if all(isinstance(one, dict) for one in value):
            return "; ".join(_range(one) for one in value)
        ends = len(value) == 2 and not any(isinstance(one, str) for one in value)
        return (" to " if ends else ", ").join(map(str, value))
    return str(value)


def _range(one: dict[str, Any]) -> str:
    if "from_v" in one:
        return f"{one['from_v']}-{one['to_v']} V {one['phases']}-phase"
    up_to = f"up to {one['up_to_w']} W" if "up_to_w" in one else "above"
    rest = ", ".join(f"{value} {name.upper()}" for name, value in one.items() if name != "up_to_w")
    return f"{up_to}: {rest}"
