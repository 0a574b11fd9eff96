"""Paths with their parts of the library: plans, names in results, and contradictions between keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.base.results import Note
from iowatt.base.units import format_duration
from iowatt.model.library.fabric import AdapterFigures, LinkFigures, ProtocolFile, SwitchFigures, part_of
from iowatt.model.scenario import path_hops as hops
from iowatt.model.scenario.keys.controller import ControllerKeys
from iowatt.model.scenario.keys.path import HopKeys, PathKeys, Port, SwitchChoice
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.path_hops import HopInNumbers
from iowatt.model.scenario.resolved import Paths, ResolvedPath

_Found = TypeVar("_Found")


def resolve(scenario: Scenario) -> Paths:
    """All paths of ``scenario``."""
    found = Paths([], [])
    found.problems.extend(_between(scenario))
    every = [workload.name for workload in scenario.workload]
    for index, path in enumerate(scenario.path):
        building = _Building(path, ("path", index), scenario.array.controller)
        resolved = building.resolve([] if path.name in _replicating(scenario) else every)
        found.problems.extend(building.problems)
        if resolved is None:
            continue
        if path.name in _replicating(scenario):
            found.replicating[path.name] = resolved
        else:
            found.resolved.append(resolved)
    return found


def _replicating(scenario: Scenario) -> set[str]:
    """Names of the paths that replications go by."""
    return {replication.path for replication in scenario.replication}


def _between(scenario: Scenario) -> Iterator[Problem]:
    """Contradictions between paths, and between paths and the rest of the scenario."""
    names = [workload.name for workload in scenario.workload]
    taken: dict[str, str] = {}
    for index, path in enumerate(scenario.path):
        at: KeyPath = ("path", index)
        if any(other.name == path.name for other in scenario.path[:index]):
            yield Problem(
                "duplicate",
                (*at, "name"),
                f"the name {path.name!r} is taken by another path",
                "give each a name of its own",
            )
        if path.name in _replicating(scenario):
            continue
        for number, name in enumerate(path.workloads or names):
            place: KeyPath = at if path.workloads is None else (*at, "workloads", number)
            if name not in names:
                yield Problem(
                    "unknown-name",
                    place,
                    f"there is no workload {name!r}",
                    suggestion(name, names, "workloads"),
                )
            elif name in taken:
                message = f"workload {name!r} goes by path {taken[name]!r} already"
                hint = (
                    "name its workloads: workloads = [...]"
                    if path.workloads is None
                    else "a workload has one path"
                )
                yield Problem("conflict", place, message, hint)
            else:
                taken[name] = path.name
    controller = scenario.array.controller
    if scenario.path and controller is not None and controller.host_bandwidth is not None:
        message = "a path has the links between hosts and array; this would take their time twice"
        yield Problem(
            "conflict",
            ("array", "controller", "host_bandwidth"),
            message,
            "leave it out, and give the path's links their rate",
        )


class _Building:
    """One path on its way to numbers."""

    def __init__(self, path: PathKeys, at: KeyPath, controller: ControllerKeys | None) -> None:
        self.path = path
        self.segment = path.segment or (None if controller is None else controller.split)
        self.at = at
        self.problems: list[Problem] = []
        self.notes: list[Note] = []

    def resolve(self, workloads: Sequence[str]) -> ResolvedPath | None:
        """The path in numbers; None where something is wrong with it."""
        protocol = part_of(ProtocolFile, self.path.protocol.name)
        adapter = self._adapter(protocol)
        on_the_way = self._hops(protocol)
        self._port(self.path.port)
        if self.problems:
            return None
        before = self._before(protocol, adapter)
        passed = [*before, *on_the_way]
        exchange = self._exchange(protocol, passed)
        observed = self._observed(passed)
        if self.problems:
            return None
        depth = self.path.queue_depth or (adapter.queue_depth if adapter else None)
        chosen = self.path.workloads
        return ResolvedPath(
            plan={
                "lanes": self.path.count,
                "queue_depth": depth,
                "host": None if adapter is None else _host(adapter),
                "hops": [hop.plan() for hop in passed],
                "port": _port_plan(self.path.port),
                "exchange": exchange,
                **({} if self.segment is None else {"segment_bytes": self.segment}),
                "observed_hop": observed,
            },
            names={
                "name": self.path.name,
                "protocol": protocol.name,
                "hops": [hop.name for hop in passed],
                "places": [hop.place for hop in passed],
                "kinds": [hop.kind for hop in passed],
                "parts": [hop.part for hop in passed],
                "hba": None if self.path.hba is None else self.path.hba.name or "hba",
                "port": "target port",
                "workloads": [name for name in workloads if chosen is None or name in chosen],
            },
            workloads=tuple(i for i, name in enumerate(workloads) if chosen is None or name in chosen),
            notes=tuple(self.notes),
        )

    def _report(self, code: str, where: KeyPath, message: str, hint: str | None = None) -> None:
        self.problems.append(Problem(code, (*self.at, *where), message, hint))

    def _find(self, where: KeyPath, find: Callable[[], _Found]) -> _Found | None:
        try:
            return find()
        except InputError as error:
            self._report(error.code, where, error.message, error.hint)
            return None

    def _goes_over(
        self, where: KeyPath, figures: LinkFigures | SwitchFigures | AdapterFigures, protocol: ProtocolFile
    ) -> None:
        wrong = hops.media(figures, protocol)
        if wrong is not None:
            message = f"{protocol.name} goes over {' or '.join(protocol.medium)}, and this is {wrong}"
            self._report("conflict", where, message, "`iowatt fabric list` says what each part is")

    def _adapter(self, protocol: ProtocolFile) -> AdapterFigures | None:
        choice = self.path.hba
        if choice is None:
            return None
        where: KeyPath = ("hba",)
        times = [name for name in ("submit", "complete") if getattr(choice, name) is not None]
        if choice.iops is not None and times:
            self._report(
                "conflict",
                (*where, "iops"),
                f"is what {' and '.join(times)} make, and both are given",
                "keep one",
            )
        figures = self._find(where, lambda: hops.adapter(choice))
        if figures is not None:
            self._goes_over(where, figures, protocol)
        return figures

    def _hops(self, protocol: ProtocolFile) -> list[HopInNumbers]:
        listed = self.path.hop
        names = hops.hop_names(listed)
        links: dict[int, HopInNumbers] = {}
        switches: dict[int, SwitchFigures] = {}
        for number, (hop, name) in enumerate(zip(listed, names, strict=True)):
            where: KeyPath = ("hop", number)
            if name in names[:number]:
                self._report("duplicate", (*where, "name"), f"the name {name!r} is taken by another hop")
            if hop.link is not None and hop.switch is not None:
                self._report("conflict", where, "a hop is a link or a switch, not both", "make it two hops")
            elif hop.link is not None:
                found = self._link(where, hop, name, protocol)
                if found is not None:
                    links[number] = found
            elif hop.switch is not None:
                figures = self._switch((*where, "switch"), hop.switch, protocol)
                if figures is not None:
                    switches[number] = figures
            elif not hop.latency:
                self._report(
                    "missing", where, "a hop is a link, a switch or a latency", 'for example link = "fc-8g"'
                )
            if hop.distance and hop.link is None:
                self._report("not-applicable", (*where, "distance"), "only a link has a length")
            if hop.credits is not None and hop.link is None:
                self._report("not-applicable", (*where, "credits"), "only a link has buffer credits")
        return [] if self.problems else _in_order(listed, names, links, switches)

    def _switch(self, where: KeyPath, choice: SwitchChoice, protocol: ProtocolFile) -> SwitchFigures | None:
        figures = self._find(where, lambda: hops.switch(choice))
        if figures is not None:
            self._goes_over(where, figures, protocol)
            if figures.latency is None:
                self._report(
                    "missing-figure", where, "its latency is missing", 'for example latency = "700ns"'
                )
        return figures

    def _link(self, where: KeyPath, hop: HopKeys, name: str, protocol: ProtocolFile) -> HopInNumbers | None:
        choice = hop.link
        assert choice is not None
        where = (*where, "link")
        figures = self._find(where, lambda: hops.link(choice))
        if figures is None:
            return None
        self._goes_over(where, figures, protocol)
        if figures.rate is None:
            self._report(
                "missing-figure",
                where,
                "its rate is missing",
                'for example rate = "850MB/s", or name = "fc-8g"',
            )
            return None
        frames = hops.frames(figures, protocol)
        if frames is None:
            message = (
                f"frames of {figures.frame} bytes leave no room for data behind {protocol.name}'s headers"
            )
            self._report("out-of-range", (*where, "frame"), message)
            return None
        return hops.link_hop(hop, name, figures, frames)

    def _before(self, protocol: ProtocolFile, adapter: AdapterFigures | None) -> list[HopInNumbers]:
        """The hops of the host: the protocol's software, and the data rate of its adapter."""
        before = []
        stack = protocol.stack if self.path.protocol.stack is None else self.path.protocol.stack
        if stack:
            before.append(hops.delay_hop(f"{protocol.name} stack", stack / 2, "host", protocol.name))
            if self.path.protocol.stack is None:
                text = (
                    f"path {self.path.name!r}: {format_duration(stack)} a request for the software of "
                    f"{protocol.name} are assumed, half with each message; protocol.stack changes it"
                )
                self.notes.append(Note(code="assumed-stack", text=text))
        if adapter is not None and adapter.bandwidth is not None and self.path.hba is not None:
            name = f"{self.path.hba.name or 'hba'} data"
            before.append(hops.data_rate_hop(name, adapter.bandwidth, self.path.hba.name))
        return before

    def _exchange(self, protocol: ProtocolFile, passed: list[HopInNumbers]) -> dict[str, Any]:
        choice = self.path.protocol
        burst = protocol.burst if choice.most is None else choice.most
        largest = max((hop.payload for hop in passed if hop.kind == "link"), default=0)
        if burst is not None and burst < largest:
            message = f"{burst} bytes are less than a frame of the path carries, {largest} bytes"
            self._report("out-of-range", ("protocol", "burst"), message, "a burst is one frame or more")
        immediate = getattr(choice, "immediate", None)
        first = getattr(choice, "first_burst", None)
        if immediate is not None and first is not None and immediate > first:
            message = f"{immediate} bytes are more than first_burst, {first} bytes, which includes them"
            self._report("conflict", ("protocol", "immediate"), message)
        fast = None
        if choice.fast_write_at is not None:
            fast = self._named(("protocol", "fast_write"), choice.fast_write_at, passed, "switch")
            if choice.unsolicited:
                message = "unsolicited data needs no switch that asks for data"
                self._report(
                    "conflict", ("protocol", "fast_write"), message, "keep first_burst or fast_write"
                )
        return {
            "command_bytes": protocol.command,
            "ready_bytes": protocol.ready,
            "response_bytes": protocol.response,
            "write_response_bytes": protocol.write_response,
            "unsolicited_bytes": protocol.unsolicited if choice.unsolicited is None else choice.unsolicited,
            "whole_only": protocol.whole_only,
            "burst_bytes": burst,
            "fast_write_hop": fast,
        }

    def _observed(self, passed: list[HopInNumbers]) -> int | None:
        if self.path.observed is not None:
            return self._named(("observed",), self.path.observed, passed, None)
        return next((i for i, hop in enumerate(passed) if hop.kind == "switch"), None)

    def _named(self, where: KeyPath, name: str, passed: list[HopInNumbers], kind: str | None) -> int | None:
        known = [hop.name for hop in passed if kind is None or hop.kind == kind]
        if name not in known:
            what = "switches" if kind else "hops"
            missing = f"there is no {kind or 'hop'} {name!r} on the path"
            self._report("unknown-name", where, missing, suggestion(name, known, what))
            return None
        return next(i for i, hop in enumerate(passed) if hop.name == name)

    def _port(self, port: Port) -> None:
        classes = port.express_writes
        for number, (one, after) in enumerate(pairwise(classes)):
            if after.up_to <= one.up_to:
                where: KeyPath = ("port", "express_writes", number + 1, "up_to")
                message = (
                    f"{after.up_to} bytes are not more than those of the class before, {one.up_to} bytes"
                )
                self._report("conflict", where, message, "list classes by ascending size")


def _in_order(
    listed: list[HopKeys],
    names: list[str],
    links: dict[int, HopInNumbers],
    switches: dict[int, SwitchFigures],
) -> list[HopInNumbers]:
    made = []
    for number, (hop, name) in enumerate(zip(listed, names, strict=True)):
        if number in links:
            made.append(links[number])
        elif number in switches:
            made.append(hops.switch_hop(hop, name, switches[number]))
        else:
            made.append(hops.delay_hop(name, hop.latency))
    stores = {number for number, one in switches.items() if one.forwarding == "store-and-forward"}
    return hops.storing(made, stores)


def _host(adapter: AdapterFigures) -> dict[str, Any]:
    processors = adapter.processors or 1
    half = 0.0 if adapter.iops is None else processors / (2 * adapter.iops)
    return {
        "submit_s": half if adapter.submit is None else adapter.submit,
        "ready_s": adapter.ready or 0.0,
        "complete_s": half if adapter.complete is None else adapter.complete,
        "processors": processors,
    }


def _port_plan(port: Port) -> dict[str, Any]:
    return {
        "command_s": port.command,
        "processors": port.processors,
        "express": [{"up_to_bytes": one.up_to, "buffers": one.buffers} for one in port.express_writes],
    }
