"""Several load hosts as one load generator: the same program on each, begun together, ended together.

In the folder of a stage: ``hosts.json``, and ``hosts/NAME/`` with what the program of each host left. A host
that is lost is lost to its stage alone: the others go on, and it is called again, to be there in the next.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald import hosts
from iowatt.emerald.conduct.drivers import host_targets, idle
from iowatt.emerald.conduct.drivers.program import ALLOWANCE_S, ProgramDriver
from iowatt.emerald.conduct.drivers.stage_on_host import StageOnHost
from iowatt.emerald.driver import DriverError
from iowatt.emerald.hosts import shares
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.targets import Claim
from iowatt.sources import process
from iowatt.sources.hosts import HostConnection, HostLost
from iowatt.sources.observation import Observation

#: Files of a host whose texts are settings of it.
_SETTINGS: Final = (
    "/proc/cmdline", "/proc/sys/fs/aio-max-nr", "/proc/sys/vm/dirty_ratio", "/proc/sys/vm/swappiness",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/kernel/mm/transparent_hugepage/enabled",
)  # fmt: skip
_CHECK_S: Final = 120.0
_LEAD_S: Final = 0.3  #: From the request to begin to the common beginning.
_LOOK_S: Final = 0.02
_CALL_S: Final = 5.0  #: Between two calls of a lost host.


class HostsDriver:
    """Runs stages on the load hosts of a plan. ``close`` ends everything on them.

    ``mark``: name of the measurement, by which a host ends what an earlier connection left there.
    ``note``: called with events: ``host-lost``, ``host-back``.
    """

    def __init__(self, plan: Plan, program: ProgramDriver) -> None:
        self.kind = program.kind
        self.mark = ""
        self.note: Callable[..., None] = lambda *_event, **_values: None
        self._program = program
        self._shares = {share.name: share for share in shares(plan)}
        self._open: dict[str, HostConnection] = {}
        self._about: dict[str, dict[str, Any]] = {}
        self._looks: dict[str, dict[str, dict[str, Any]]] = {}
        self._version: str | None = None
        self._gone: dict[str, float] = {}  # since when hosts are lost, monotonic
        self._why: dict[str, str] = {}
        self._closed = threading.Event()
        self._calling: list[threading.Thread] = []
        self._lock = threading.Lock()

    # Before the first request

    def version(self) -> str:
        """The program and its version, the same on all hosts. Raises ``InputError``."""
        if self._version is None:
            self._connect()
            found = {name: self._version_on(name) for name in self._shares}
            if len(set(found.values())) > 1:
                listed = ", ".join(f"{version} on {name}" for name, version in found.items())
                text = f"hosts have different versions: {listed}"
                raise InputError("conflict", Argument("host"), text, hint="install one version on all")
            self._version = next(iter(found.values()))
        return self._version

    def check(self, plan: Plan) -> None:
        """Let the program of each host parse the input file of every stage. Raises ``InputError``."""
        self.version()
        for name, share in self._shares.items():
            for stage in plan.stages:
                if stage.workload is None:
                    continue
                files = {self._program.job_file: self._job(name, plan, stage)}
                answer = self._ask(
                    name, "check", command=[self.kind, *self._program.parse], files=files,
                    environment=dict(self._program.environment), limit=_CHECK_S, within_s=_CHECK_S + 10,
                )  # fmt: skip
                refusal = self._program.complaint(answer["status"], answer["out"], answer["err"])
                if refusal is not None:
                    text = f"{self._version} refuses its {self._program.job_file}: {refusal or 'no reason'}"
                    raise InputError("tool-failed", f"host {share.name}: stage {stage.id}", text)

    @contextlib.contextmanager
    def claimed(
        self, plan: Plan, erase: str | None, *, ours: Sequence[str] = (), tell: Callable[[str], None]
    ) -> Iterator[Claim]:
        """The targets of all hosts, ready and locked; parameters and errors as of ``targets.claimed``."""
        del plan
        claim = Claim()
        held = {name: self._open[name] for name in self._shares}
        host_targets.claim(held, self._shares, self._looks, self._boots(), erase=erase, ours=ours, tell=tell)
        self._look()
        yield _HostClaim(self._open, claim)

    def identities(self) -> list[str]:
        """Files of the hosts that this measurement may write, for a later resumption."""
        return [
            host_targets.identity(name, look)
            for name, looks in self._looks.items()
            for look in looks.values()
            if look["kind"] == "file"
        ]

    def settings(self) -> dict[str, str]:
        """Settings of all hosts; of a lost one those that it last had."""
        found: dict[str, str] = {}
        for name in self._shares:
            with contextlib.suppress(HostLost):
                if name in self._open:
                    self._about[name] = self._open[name].ask("about", files=list(_SETTINGS))
            about = self._about.get(name, {})
            values = {
                "name": about.get("host"),
                "system": about.get("system"),
                "machine": about.get("machine"),
                "processors": about.get("processors"),
                **about.get("files", {}),
            }
            found |= {f"host {name}: {key}": str(value) for key, value in values.items() if value is not None}
        return found

    def close(self) -> None:
        """End all connections, and with them all that runs on the hosts."""
        self._closed.set()
        with self._lock:
            still = list(self._open.values())
            self._open = {}
        for connection in still:
            connection.close()
        for thread in self._calling:
            thread.join()

    # A stage

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        """Run one stage on all hosts that are there.

        Raises ``DriverError``: the program of a host failed, or no host is there at all.
        """
        if stage.workload is None:
            idle.rest(stage.seconds or 0.0, folder, stop, self._requests)
            return
        there = dict(self._open)
        for name in self._shares.keys() - there.keys():
            self._call(name)
        parts = [self._part(name, plan, stage, folder, there.get(name)) for name in self._shares]
        running = [part for part in parts if part.connection is not None]
        with _at_once(running) as each:
            each(lambda part: part.ready())
            begin = time.time() + _LEAD_S + max((part.round_trip_s for part in running), default=0.0)
            each(lambda part: part.begin(begin))
            limit_s = None if stage.seconds is None else self._program.seconds(stage) or stage.seconds
            self._wait(running, stop, None if limit_s is None else limit_s + ALLOWANCE_S)
            each(lambda part: part.finish())
        records = [part.record() for part in parts]
        try:
            hosts.write(folder, records, {part.name: part.samples() for part in running})
        except OSError as error:
            raise DriverError("unwritable", str(folder), f"cannot be written: {error.strerror}") from None
        for part in running:
            if part.lost is not None:
                self._lose(part.name, part.lost, stage)
        if stop.is_set():
            return
        failed = [(part.name, why) for part in running if (why := part.failure(self._program)) is not None]
        if failed:
            raise DriverError("tool-failed", None, "; ".join(f"host {name}: {why}" for name, why in failed))
        if all(part.lost is not None for part in parts):
            listed = "; ".join(f"{part.name}: {part.lost}" for part in parts)
            raise DriverError("unreachable", None, f"no load host is there any more: {listed}")

    def observe(self, plan: Plan, stage: PlanStage, folder: Path) -> Observation:
        """The figures of all hosts as one. Raises ``InputError`` with the file and the place."""
        return hosts.observe(plan, stage, folder, self.observe_one)

    def observe_one(self, plan: Plan, stage: PlanStage, folder: Path, origin: float | None) -> Observation:
        """The figures of one host, by its own part of the plan. Raises ``InputError``."""
        found = self._program.observe(plan, stage, folder, origin)
        assert isinstance(found, Observation)
        return found

    def _part(
        self, name: str, plan: Plan, stage: PlanStage, folder: Path, connection: HostConnection | None
    ) -> StageOnHost:
        text = self._job(name, plan, stage) if connection is not None else ""
        return StageOnHost(
            name,
            self._shares[name].address.text,
            connection,
            self._about.get(name, {}),
            hosts.folder_of(folder, name),
            command=[self.kind, *self._program.options],
            files={self._program.job_file: text},
            environment=dict(self._program.environment),
            mark=f"{self.mark}/{name}",
            lost=None if connection is not None else self._why.get(name, "it is not there"),
        )

    def _wait(self, running: Sequence[StageOnHost], stop: threading.Event, limit_s: float | None) -> None:
        """Until all have ended or are lost; all are asked to stop where one failed, or ``stop`` is set."""
        due = None if limit_s is None else time.monotonic() + limit_s
        stopping: float | None = None
        while any(part.working for part in running):
            overdue = due is not None and time.monotonic() > due
            failed = any(part.status not in (None, 0) for part in running)
            if stopping is None and (stop.is_set() or overdue or failed):
                stopping = time.monotonic()
                for part in running:
                    part.stop(overdue=overdue)
            if stopping is not None and time.monotonic() > stopping + process.GRACE_S + 10:
                for part in running:
                    part.give_up()
                return
            time.sleep(_LOOK_S)

    def _job(self, name: str, plan: Plan, stage: PlanStage) -> str:
        share = self._shares[name]
        looks = self._looks[name].values()
        known = share.plan
        if known.target.size_bytes is None:
            sizes = [look.get("bytes") for look in looks]
            if None in sizes or not sizes:
                text = "a target does not exist there, so the plan must give the tested range"
                raise InputError("missing", f"host {name}: target.size_bytes", text)
            size = min(size for size in sizes if size is not None) * len(sizes)
            target = known.target.model_copy(update={"size_bytes": size})
            known = known.model_copy(update={"target": target})
        known = known.model_copy(update={"stages": [share.stage(one) for one in plan.stages]})
        direct = all(look.get("direct", True) for look in looks)
        return self._program.host_job(known, share.stage(stage), direct=direct, part=share.part)

    # Connections

    def _connect(self) -> None:
        """Reach all hosts. Raises ``InputError`` with all that do not answer."""
        missing = [name for name in self._shares if name not in self._open]
        with ThreadPoolExecutor(max_workers=max(1, len(missing))) as pool:
            found = dict(zip(missing, pool.map(self._reach, missing), strict=True))
        failed = {name: one for name, one in found.items() if isinstance(one, HostLost)}
        self._open |= {name: one for name, one in found.items() if isinstance(one, HostConnection)}
        if failed:
            text = "; ".join(f"{name}: {error.message}" for name, error in failed.items())
            hint = "`ssh HOST python3 -V` must work without a password; the agent needs nothing else"
            raise InputError("unreachable", Argument("host"), text, hint=hint)

    def _reach(self, name: str) -> HostConnection | HostLost:
        try:
            connection = HostConnection(name, self._shares[name].address)
        except HostLost as error:
            return error
        try:
            self._about[name] = connection.ask("about", files=list(_SETTINGS))
            self._looks[name] = self._looked(name, connection)
        except HostLost as error:
            connection.close()
            return error
        return connection

    def _looked(self, name: str, connection: HostConnection) -> dict[str, dict[str, Any]]:
        targets = list(self._shares[name].targets)
        answer = connection.ask("look", targets=targets)
        return dict(zip(targets, answer["targets"], strict=True))

    def _look(self) -> None:
        for name, connection in self._open.items():
            self._looks[name] = self._looked(name, connection)

    def _boots(self) -> Mapping[str, str]:
        return {name: str(about.get("boot") or name) for name, about in self._about.items()}

    def _version_on(self, name: str) -> str:
        program = self._program
        answer = self._ask(
            name, "check", command=[self.kind, *program.tell_version], files=dict(program.version_files),
            environment=dict(program.environment), limit=_CHECK_S, within_s=_CHECK_S + 10,
        )  # fmt: skip
        if answer.get("missing"):
            text = f"{self.kind} is not on the PATH there"
            raise InputError("tool-missing", f"host {name}", text, hint=program.install)
        return program.version_in(answer["out"] + answer["err"])

    def _ask(self, name: str, what: str, **values: Any) -> dict[str, Any]:
        """An answer before the first request, where a lost host is wrong input."""
        try:
            return self._open[name].ask(what, **values)
        except HostLost as error:
            raise InputError(error.code, f"host {name}", error.message) from None

    def _requests(self) -> dict[str, tuple[int, int]]:
        """Requests that the block devices under test have completed, as their hosts count them."""
        found: dict[str, tuple[int, int]] = {}
        for name, connection in dict(self._open).items():
            with contextlib.suppress(HostLost):
                for look in self._looked(name, connection).values():
                    if look.get("requests") is not None:
                        reads, writes = look["requests"]
                        found[f"{name}: {look['device']}"] = (reads, writes)
        return found

    def _lose(self, name: str, why: str, stage: PlanStage) -> None:
        with self._lock:
            connection = self._open.pop(name, None)
        self._why[name] = why
        self._gone[name] = time.monotonic()
        if connection is not None:
            connection.close()
        self.note("host-lost", host=name, stage=stage.id, text=why)
        self._call(name)

    def _call(self, name: str) -> None:
        """Call a lost host in the background until it answers."""
        if any(thread.name == f"call {name}" and thread.is_alive() for thread in self._calling):
            return
        thread = threading.Thread(target=self._call_again, args=(name,), name=f"call {name}", daemon=True)
        self._calling.append(thread)
        thread.start()

    def _call_again(self, name: str) -> None:
        while not self._closed.wait(_CALL_S):
            found = self._reach(name)
            if isinstance(found, HostLost):
                continue
            try:
                locked = host_targets.lock(found, self._shares[name], self._looks[name])
            except HostLost:
                locked = False
            with self._lock:
                if not locked or self._closed.is_set():
                    found.close()
                    continue
                self._open[name] = found
            self.note("host-back", host=name, seconds=time.monotonic() - self._gone[name])
            return


class _HostClaim(Claim):
    """The targets of hosts: each host has its own list of files that it made."""

    def __init__(self, connections: Mapping[str, HostConnection], made: Claim) -> None:
        super().__init__()
        self._connections = connections
        self.created = made.created

    def keep(self) -> None:
        """Leave the files that were created."""
        for connection in self._connections.values():
            with contextlib.suppress(HostLost):
                connection.ask("keep")


@contextlib.contextmanager
def _at_once(parts: Sequence[StageOnHost]) -> Iterator[Callable[[Callable[[StageOnHost], None]], None]]:
    """Does something for all hosts at once, as each takes the time of its round trips."""
    with ThreadPoolExecutor(max_workers=max(1, len(parts))) as pool:

        def each(work: Callable[[StageOnHost], None]) -> None:
            list(pool.map(work, parts))

        yield each
