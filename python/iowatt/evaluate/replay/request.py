"""What is asked of a replay, and what of it goes together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.replay.export import is_export

Engine = Literal["iowatt", "fio"]
Mode = Literal["open", "closed"]


@dataclass(frozen=True)
class ReplayRequest:
    """A replay: trace, target, meters, and the scenario to compare with."""

    #: As `iowatt.trace.open.spec` makes it.
    trace: Mapping[str, Any]
    #: A file, a block device, or the URI of an NBD export.
    target: str | Path
    output: Path
    size: int | None = None
    #: The target again, where what is on it may be lost.
    erase: str | Path | None = None
    fold: bool = False
    align: bool = False
    engine: Engine = "iowatt"
    #: ``open``: at the trace's times. ``closed``: each after the one before it in its stream.
    mode: Mode = "open"
    #: With ``closed``: so many outstanding all the time, whatever the streams.
    outstanding: int | None = None
    #: With ``closed``: wait between completion and next request as the trace did.
    think: bool = False
    #: How many times the trace is replayed.
    repeat: int = 1
    #: Connections to an NBD export.
    connections: int = 1
    depth: int = 64
    meters: Sequence[str] = ()
    meter_interval_s: float = 1.0
    interval_s: float | None = None
    scenario: Path | None = None
    overrides: Sequence[str] = ()
    name: str = "replay"
    raw_bytes: int | None = None
    force: bool = False
    command: str | None = None

    def check(self) -> None:
        """Raises ``InputError`` where arguments exclude each other, or have no effect together."""
        self._check_values()
        export = is_export(str(self.target))
        if self.engine == "fio":
            for name, given in (("mode", self.mode != "open"), ("target", export)):
                if given:
                    message = "fio replays files and block devices at the trace's times only"
                    raise InputError("conflict", Argument(name), message, hint="use `engine=iowatt`")
        if self.connections > 1 and not export:
            raise InputError("not-applicable", Argument("connections"), "the target is not an NBD export")
        if self.mode == "open":
            for name, given in (("outstanding", self.outstanding is not None), ("think", self.think)):
                if given:
                    message = "has no effect where requests are made at the trace's times"
                    raise InputError("not-applicable", Argument(name), message, hint="add `mode=closed`")
        elif self.scenario is not None:
            message = "the simulator replays at the trace's times, a closed replay does not"
            raise InputError("conflict", Argument("scenario"), message, hint="use `mode=open`")
        if self.think and self.outstanding is not None:
            raise InputError("conflict", Argument("think"), "is of streams; `outstanding` knows none")

    def _check_values(self) -> None:
        for name, value, accepted in (
            ("engine", self.engine, ("iowatt", "fio")),
            ("mode", self.mode, ("open", "closed")),
        ):
            if value not in accepted:
                message = f"{value!r} is not one of: {', '.join(accepted)}"
                raise InputError("not-accepted", Argument(name), message)
        for name, number in (
            ("outstanding", self.outstanding),
            ("repeat", self.repeat),
            ("connections", self.connections),
            ("depth", self.depth),
        ):
            if number is not None and number < 1:
                raise InputError("out-of-range", Argument(name, number), "at least 1 is accepted")
