"""Ray's driver, a separate process: it takes tasks from the executor and returns their outcomes.

It is separate because Ray ends a process whose cluster is lost, installs signal handlers and writes to
standard output, and the process that keeps the journal must do none of that.

Messages are tuples over a connection. To the driver: ``(TASK, ticket, payload)``, ``(LISTEN,)`` and
``(CLOSE,)``. From it: ``(IMPORTED,)``, ``(JOINED,)``, ``(READY, nodes, processors)`` or
``(REFUSED, code, message, hint)``, then ``(ROOM, tasks)``: so many more may be sent;
``(OUTCOME, ticket, failed, content)``, ``(LOST, ticket, text)``, ``(REPORTS, fractions by ticket)``,
``(GONE, text)`` where no machine is left or one may not be used.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final

from iowatt.evaluate.search.cluster import worker

TASK: Final = "task"
LISTEN: Final = "listen"
CLOSE: Final = "close"
IMPORTED: Final = "imported"
JOINED: Final = "joined"
READY: Final = "ready"
REFUSED: Final = "refused"
ROOM: Final = "room"
OUTCOME: Final = "outcome"
LOST: Final = "lost"
REPORTS: Final = "reports"
GONE: Final = "gone"

# To itself, from its threads.
_ANSWERED: Final = "answered"
_REPORTED: Final = "reported"
_NODES: Final = "nodes"

RETRIES: Final = 3
"""How often a task is run again whose worker or machine died."""
TRIES: Final = 4
"""Machines on which a task is tried at most that the first ones could not do (``MachineError``)."""
LOOK_S: Final = 5.0
"""Time between two looks at which machines there are."""
WITHOUT_NODES_S: Final = 60.0
"""How long there may be no machine at all, as while a cluster grows from nothing."""
INTRODUCTION_S: Final = 60.0
"""Within which a machine says which versions it has; else its first task does."""
CANCEL_S: Final = 5.0
"""Within which running tasks stop at the end."""
POLL_S: Final = 0.5
"""Time between two questions for reports."""
REPORTS_PER_S: Final = 500
"""Reports that the actor gets at most: the more processors, the fewer from each."""


UNAUTHENTICATED: Final = "InvalidAuthToken"
NO_TOKEN: Final = "the cluster requires a token, and this machine has none or another one"
TOKEN: Final = "set RAY_AUTH_MODE=token, with the cluster's token in ~/.ray/auth_token or RAY_AUTH_TOKEN_PATH"


def window(processors: float) -> int:
    """Tasks that are with Ray at a time: enough that no processor waits, and no more."""
    return int(4 * processors) + 16


@dataclass
class _Given:
    """A task that Ray has."""

    payload: bytes
    ref: Any = None
    #: Machines that could not do it, and the error of the last one.
    unfit: list[str] = field(default_factory=list)
    error: bytes | None = None
    #: The machine that it was sent to; None where Ray chose.
    node: str | None = None


class ClusterDriver:
    """One connection to a cluster, and its tasks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._inbox: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._given: dict[int, _Given] = {}
        self._fit: set[str] = set()  # machines that have done a task
        self._nodes: dict[str, float] = {}
        self._window = 0
        self._seen_at = time.monotonic()
        self._reports: Any = None

    def connect(self, address: str) -> None:
        """Join the cluster. Raises what Ray does."""
        import ray

        self._connection.send((IMPORTED,))
        ray.init(address=address, log_to_driver=False, configure_logging=False)
        self._connection.send((JOINED,))
        for module in (worker, worker):
            ray.cloudpickle.register_pickle_by_value(module)
        self._perform = ray.remote(num_cpus=1, max_retries=RETRIES)(worker.perform)
        self._nodes = processors(ray.nodes())
        self._refuse_other_versions()
        self._connection.send((READY, len(self._nodes), sum(self._nodes.values())))
        self._widen()

    def serve(self) -> None:
        """Serve messages until CLOSE."""
        for loop in (self._read, self._look):
            threading.Thread(target=loop, daemon=True).start()
        while (message := self._inbox.get())[0] != CLOSE:
            kind, *rest = message
            if kind == TASK:
                ticket, payload = rest
                self._given[ticket] = _Given(payload)
                self._submit(ticket)
            elif kind == _ANSWERED:
                self._answered(*rest)
            elif kind == _NODES:
                self._seen(*rest)
            elif kind == LISTEN:
                self._listen()
            elif kind == _REPORTED:
                self._connection.send((REPORTS, *rest))
        self._cancel()

    def _refuse_other_versions(self) -> None:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        introduce = ray.remote(num_cpus=0, max_retries=0)(worker.introduce)
        asked = [
            introduce.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote()
            for node in self._nodes
        ]
        if not asked:
            return
        answers, _ = ray.wait(asked, num_returns=len(asked), timeout=INTRODUCTION_S)
        for answer in answers:
            try:
                host, found = ray.get(answer)
            except ray.exceptions.RayError:  # it died meanwhile
                continue
            if found != worker.here():
                raise OtherVersionsError(host, found)

    def _submit(self, ticket: int, node: str | None = None) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        task = self._given[ticket]
        task.node = node
        every_s = max(worker.REPORT_S, sum(self._nodes.values()) / REPORTS_PER_S)
        perform = self._perform
        if node is not None:
            perform = perform.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False))
        task.ref = perform.remote(task.payload, worker.here(), ticket, self._reports, every_s)
        task.ref.future().add_done_callback(lambda done: self._inbox.put((_ANSWERED, ticket, done)))

    def _answered(self, ticket: int, done: Any) -> None:
        task = self._given[ticket]
        task.ref = None
        error = done.exception()
        if error is not None:
            # The error of a machine that tried it before is more useful.
            if task.error is not None:
                if task.node is not None:  # once is enough, or it would go there for ever
                    task.unfit.append(task.node)
                self._elsewhere(ticket)
            else:
                self._finish((LOST, ticket, plain(error)))
            return
        outcome = worker.TaskOutcome(*done.result())
        if outcome.kind == worker.REFUSED:
            other = OtherVersionsError(outcome.host, outcome.content)
            self._connection.send((GONE, other.message))
        elif outcome.kind == worker.ELSEWHERE:
            task.unfit.append(outcome.node)
            task.error = outcome.content
            self._elsewhere(ticket)
        else:
            self._fit.add(outcome.node)
            self._finish((OUTCOME, ticket, outcome.kind == worker.FAILED, outcome.content))

    def _elsewhere(self, ticket: int) -> None:
        """Try a task where it was not tried yet; best where others have been done."""
        task = self._given[ticket]
        left = sorted(self._nodes.keys() - set(task.unfit), key=lambda node: (node not in self._fit, node))
        if not left or len(task.unfit) >= TRIES:
            self._finish((OUTCOME, ticket, True, task.error))
            return
        proven = [node for node in left if node in self._fit] or left
        node = proven[ticket % len(proven)]
        self._submit(ticket, node)

    def _finish(self, message: tuple[Any, ...]) -> None:
        del self._given[message[1]]
        self._connection.send(message)
        self._connection.send((ROOM, 1))

    def _seen(self, nodes: Mapping[str, float]) -> None:
        self._nodes = dict(nodes)
        now = time.monotonic()
        if nodes:
            self._seen_at = now
            self._widen()
        elif now - self._seen_at > WITHOUT_NODES_S:
            self._connection.send(
                (GONE, f"the cluster has had no machine with processors for {WITHOUT_NODES_S:.0f} s")
            )
            self._seen_at = now

    def _widen(self) -> None:
        more = window(sum(self._nodes.values())) - self._window
        if more > 0:
            self._window += more
            self._connection.send((ROOM, more))

    def _listen(self) -> None:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # On this machine if it can be, because reports are of use as long as the driver is.
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        actor = ray.remote(num_cpus=0, max_restarts=-1)(worker.Reports)
        self._reports = actor.options(scheduling_strategy=here).remote()
        threading.Thread(target=self._poll, daemon=True).start()

    def _poll(self) -> None:
        import ray

        while True:
            time.sleep(POLL_S)
            try:
                told = ray.get(self._reports.take.remote())
            except ray.exceptions.RayError:  # lost, or restarting: so are reports, and no result
                time.sleep(LOOK_S)
                continue
            if told:
                self._inbox.put((_REPORTED, told))

    def _read(self) -> None:
        try:
            while True:
                self._inbox.put(self._connection.recv())
        except (EOFError, OSError):  # whoever asked is gone
            self._inbox.put((CLOSE,))

    def _look(self) -> None:
        import ray

        while True:
            time.sleep(LOOK_S)
            self._inbox.put((_NODES, processors(ray.nodes())))

    def _cancel(self) -> None:
        import ray

        refs = [task.ref for task in self._given.values() if task.ref is not None]
        for force in (False, True):
            for ref in refs:
                ray.cancel(ref, force=force)
            if not refs:
                return
            _, refs = ray.wait(refs, num_returns=len(refs), timeout=CANCEL_S, fetch_local=False)


class OtherVersionsError(Exception):
    """A machine has another iowatt or Python than this one."""

    def __init__(self, host: str, found: worker.Versions) -> None:
        self.message = (
            f"{host} has {worker.words(found)}, and this machine {worker.words(worker.here())}: "
            "their points would not belong together"
        )
        super().__init__(self.message)


def processors(nodes: list[dict[str, Any]]) -> dict[str, float]:
    """Processors of each living machine that has some."""
    return {
        node["NodeID"]: node["Resources"]["CPU"]
        for node in nodes
        if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
    }


def plain(error: BaseException) -> str:
    """An error of Ray's in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:400]


def main(descriptor: str, address: str) -> None:
    """Serve the executor at the other end of the connection."""
    connection = Connection(int(descriptor))
    driver = ClusterDriver(connection)
    try:
        driver.connect(address)
    except OtherVersionsError as error:
        connection.send(
            (REFUSED, "not-comparable", error.message, "install the same iowatt and Python on every machine")
        )
        return
    except Exception as error:
        connection.send((REFUSED, *reason(error)))
        return
    driver.serve()
    connection.close()


def reason(error: Exception) -> tuple[str, str, str | None]:
    """Why Ray would not join: code and message of the error, and what to do about it."""
    said = " ".join(str(error).split())
    if type(error).__name__ == "AuthenticationError" or UNAUTHENTICATED in said:
        return "access-denied", NO_TOKEN, TOKEN
    if "ersion mismatch" in said:
        return (
            "not-comparable",
            f"another Ray or Python runs there: {said}",
            "install the same versions on every machine",
        )
    return "unreachable", plain(error), None
