"""What must be in place before the first request: instruments, driver, system; with the rules behind it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.emerald.plan.addresses import awaited
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.public import public_source
from iowatt.emerald.rules import Rule, Rules

State = Literal["in place", "missing", "not possible", "to do"]
#: In the order in which they are shown: what is open first.
STATES: Final[tuple[State, ...]] = ("missing", "not possible", "to do", "in place")
_JAVA_REFUSED: Final = range(10, 20)


@dataclass(frozen=True)
class Item:
    """A line of the list."""

    topic: str
    text: str
    state: State
    #: Key of the rule behind it; None where it is good practice.
    rule: str | None
    verified: bool | None


def items(plan: Plan, rules: Rules, *, modelled_power: bool = False) -> list[Item]:
    """The list for a plan; ``modelled_power``: whether its scenario says what the whole array draws."""
    if plan.source == "simulation":
        state: State = "in place" if modelled_power else "missing"
        wall = _item("power", "wall power is modelled: the scenario has [array.power]", state)
        return [wall, *_system(plan, rules)]
    return [*_instruments(plan, rules), *_driver(plan, rules), *_system(plan, rules)]


def _item(topic: str, text: str, state: State, rule: Rule | None = None) -> Item:
    return Item(topic, text, state, rule.key if rule else None, rule.verified if rule else None)


def _instruments(plan: Plan, rules: Rules) -> Iterator[Item]:
    for role, words in (("power", "power meters"), ("temperature", "thermometers")):
        named = [one for one in plan.instruments if one.role == role]
        option = "--instrument" if role == "power" else "--thermometer"
        if named:
            listed = ", ".join(f"{one.name} ({public_source(one.source)})" for one in named)
            yield _item(role, f"{words}: {listed}; try each with `iowatt meter read`", "to do")
            waits = ", ".join(one.name for one in named if awaited(one))
            if waits:
                yield _item(role, f"logs that are not there yet: {waits}", "to do")
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
        rule = rules.find(key, plan.category)
        if rule is not None and rule.value is not None:
            yield _item(topic, text.format(_words(rule.value)), "to do", rule)
    yield _item(
        "power",
        "every supply of the system under test draws through a meter; hosts and switches do not",
        "to do",
    )


def _driver(plan: Plan, rules: Rules) -> Iterator[Item]:
    version = installed(plan.source)
    text = f"{plan.source} is {'not installed' if version is None else f'installed: {version}'}"
    yield _item("driver", text, "missing" if version is None else "in place")
    tool = rules.find("driver.tool", plan.category)
    given = None if tool is None else tool.value
    if given in (None, "any", plan.source):
        for key, words in (
            ("driver.tool", "the rules require the driver: {}"),
            ("driver.versions", "of versions {}"),
            ("driver.script", "official script {}"),
        ):
            rule = rules.find(key, plan.category)
            if rule is not None and rule.value is not None:
                met: State = "in place" if key == "driver.tool" and given == plan.source else "to do"
                yield _item("driver", words.format(_words(rule.value)), met, rule)
    else:
        # Its versions and its official script are no tasks of whoever runs another.
        text = (
            f"{_words(given)} and the official script, as the rules require: not possible with {plan.source}"
        )
        yield _item("driver", f"{text}: Emerald-like", "not possible", tool)
    hosts = rules.find("driver.hosts", plan.category)
    if hosts is not None and hosts.value is not None:
        yield _item("driver", f"hosts: {_words(hosts.value)}", "to do", hosts)
    if plan.source == "vdbench":
        yield _java()


def _java() -> Item:
    found, said = java()
    return _item("driver", said, "in place" if found else "missing")


def java() -> tuple[bool, str]:
    """Whether there is a Java that vdbench takes, and what there is (5.04.06 reads digits one by one)."""
    version = re.search(r'version "(\d+)', _said(["java", "-version"]) or "")
    if version is None:
        return False, "no Java on the PATH, and vdbench needs one"
    if int(version[1]) in _JAVA_REFUSED:
        return False, f"Java {version[1]}; vdbench 5.04.06 refuses 10 to 19"
    return True, f"Java {version[1]}"


def _system(plan: Plan, rules: Rules) -> Iterator[Item]:
    if plan.raw_capacity_bytes is None:
        yield _item(
            "system",
            "raw capacity is not in the plan (--raw-capacity); the ready-idle metric needs it",
            "missing",
        )
    else:
        yield _item("system", f"raw capacity: {plan.raw_capacity_bytes / 1e9:,.3f} GB", "in place")
    if plan.source != "simulation":
        yield _item("system", f"nothing of value on {plan.target.path}: it is overwritten", "to do")
        yield _item("system", "operating temperature reached; all devices and supplies work", "to do")
    during = rules.find("com.during_active", plan.category)
    if during is not None:
        words = during.value if during.value is not None else f"not known ({during.unknown})"
        yield _item("system", f"capacity optimisation during the active test: {words}", "to do", during)
    frozen = rules.find("phases.uninterrupted", plan.category)
    yield _item(
        "system",
        "no change of configuration or tuning from conditioning to the end of ready idle",
        "to do",
        frozen,
    )
    rated = [stage for stage in plan.stages if stage.role == "measurement" and not stage.closed]
    random = [stage.phase for stage in rated]
    unrated = [stage.phase for stage in rated if stage.rate_iops is None]
    if unrated:
        yield _item("rates", f"not found yet: {', '.join(unrated)}; `iowatt emerald calibrate`", "missing")
    elif random:
        yield _item("rates", f"given: {', '.join(random)}", "in place")


def installed(tool: str) -> str | None:
    """What a load generator says of its version; None where it is not on the PATH."""
    if shutil.which(tool) is None:
        return None
    if tool == "fio":
        return (_said(["fio", "--version"]) or "fio").strip()
    return str(Path(shutil.which(tool) or tool))


def _said(words: list[str]) -> str | None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout + done.stderr


def _words(value: Any) -> str:
    """A rule's value in words."""
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
