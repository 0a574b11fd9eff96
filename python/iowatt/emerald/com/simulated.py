"""The tests on a simulated array: its space is that of a virtual pool of the scheme ``reduced``.

The scenario says which methods the array has (thin, duplicates, compression, snapshots). How far a set can be
reduced is not taken from the scenario but measured on the set's own bytes, at the pool's page.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.base.toml_writer import toml_document
from iowatt.emerald.com.dataset import DataSet, Kind
from iowatt.emerald.com.procedures import LEAST_COST, parity_raid
from iowatt.emerald.com.result import ComTest, Step, judged, size_text
from iowatt.emerald.rules import Rules
from iowatt.evaluate import evaluation
from iowatt.model.scenario import Scenario, idle_system
from iowatt.model.scenario.virtual import Reduced
from iowatt.run import provenance

TRANSFER: Final = 256 * 1024
_RATE: Final = 200


def tests(scenario: Path, rules: Rules, size: int, seed: int) -> Iterator[ComTest]:
    """Every COM test on the scenario's array, in the order of the rules.

    Raises ``InputError``: the scenario is wrong, has no reduced virtual pool or several, or cannot hold the
    sets.
    """
    array = _Array(scenario, rules, size, seed)
    yield array.read_only_snapshots()
    yield ComTest("writeable-delta-snapshots", "not tested", "the simulator's snapshots are read-only")
    yield array.thin()
    yield array.reduces("duplicable", "data-deduplication", offered=array.pool.duplicates > 0)
    yield array.parity()
    yield array.reduces("compressible", "compression", offered=array.pool.compression > 1)


class _Array:
    """A simulated array and the sets that fill it."""

    def __init__(self, scenario: Path, rules: Rules, size: int, seed: int) -> None:
        _, system, document = idle_system(scenario)
        found = [
            (pool.scheme, pool.parts) for pool in system.virtual_pools if isinstance(pool.scheme, Reduced)
        ]
        if len(found) != 1:
            text = f"the scenario has {len(found)} virtual pools of the scheme reduced; expected one"
            raise InputError("unsupported", str(scenario), text)
        self.scenario, self.raw = scenario, document.raw
        self.rules, self.size, self.seed = rules, size, seed
        self.pool, parts = found[0]
        #: Bytes of the part, and of the volume space that the pool offers on it.
        self.part, self.offered = parts[0].capacity, self.pool.capacity_bytes(parts)
        self.volume = next(
            volume.name for volume in system.volumes if system.space_names[volume.pool] == self.pool.name
        )

    def run(self, kind: Kind, size: int, *, snapshot: bool = False) -> dict[str, Any]:
        """``run.json`` after a set of ``size`` bytes was written to the empty pool, and some rest."""
        text = toml_document(self._scenario(self._ratios(kind), size, snapshot=snapshot))
        document = TomlDocument(text, f"the COM tests on {self.scenario}")
        work = evaluation.prepare(document.validate(Scenario), self.scenario.parent, text)
        return evaluation.simulate(work, inputs=list, started_at=provenance.now()).summary

    def thin(self) -> ComTest:
        """Creation costs nothing, and writing what was written."""
        com, size = "thin-provisioning", self.size // 4
        if not self.pool.thin:
            return ComTest(com, "no", "the pool allocates all pages from the start (thin = false)")
        part = self.part
        created = self._free(self.run("irreducible", 0))
        written = self._free(self.run("irreducible", size))
        steps = [
            Step("part of the pool", part),
            Step("a volume of the pool's capacity created", created),
            Step(f"{size_text(size)} written to it", written),
        ]
        percent = 100 * (part - created) / part
        taken = f"writing {size_text(size)} takes {size_text(created - written)}"
        why = f"creation costs {percent:.2f} % of the part; {taken}"
        return judged(
            com,
            self.rules,
            "com.thin-provisioning.creation_percent_most",
            percent=percent,
            why=why,
            steps=steps,
        )

    def reduces(self, kind: Kind, com: str, *, offered: bool) -> ComTest:
        """A set that can be reduced must cost clearly less than one that cannot."""
        if not self.pool.thin:
            why = "without thin provisioning all pages are allocated, and free space does not move"
            return ComTest(com, "not tested", why)
        empty = self._free(self.run("irreducible", 0))
        plain = self._free(self.run("irreducible", self.size))
        other = self._free(self.run(kind, self.size))
        steps = [
            Step("empty", empty),
            Step(f"{size_text(self.size)} written, irreducible", plain),
            Step(f"empty, then {size_text(self.size)} written, {kind}", other),
        ]
        whole = empty - plain
        if whole < LEAST_COST * self.size:
            text = f"{size_text(self.size)} of irreducible data took {size_text(whole)}"
            return ComTest(com, "not tested", text, steps)
        percent = 100 * (empty - other) / whole
        why = f"the {kind} set costs {percent:.1f} % of the space of the irreducible one"
        if not offered:
            why += "; the pool does not have the method"
        return judged(com, self.rules, f"com.{com}.cost_percent_most", percent=percent, why=why, steps=steps)

    def read_only_snapshots(self) -> ComTest:
        """A snapshot of a filled pool costs next to nothing."""
        com = "read-only-delta-snapshots"
        if self.pool.snapshots is None:
            return ComTest(com, "no", "the pool takes no snapshots")
        if not self.pool.thin:
            return ComTest(com, "not tested", "without thin provisioning free space does not move")
        plain = self._free(self.run("irreducible", self.size))
        kept = self._free(self.run("irreducible", self.size, snapshot=True))
        steps = [
            Step(f"{size_text(self.size)} written", plain),
            Step("the same, then a snapshot taken", kept),
        ]
        percent = 100 * (plain - kept) / self.size
        why = f"the snapshot costs {percent:.2f} % of its set's space; the model counts data, not tables"
        return judged(com, self.rules, f"com.{com}.space_percent_most", percent=percent, why=why, steps=steps)

    def parity(self) -> ComTest:
        """By capacities."""
        capacity = self.run("irreducible", 0)["capacity_gb"]
        return parity_raid(self.rules, round(capacity["raw"] * 1e9), round(capacity["usable"] * 1e9))

    def _scenario(self, ratios: Mapping[str, float], size: int, *, snapshot: bool) -> dict[str, Any]:
        raw = copy.deepcopy(self.raw)
        (pool,) = [one for one in raw["array"]["virtual_pool"] if one["scheme"] == "reduced"]
        pool |= {"duplicates": ratios["duplicates"], "compression": ratios["compression"]}
        if self.pool.thin:
            # As much is offered as before, whatever the ratios and the fill would now make of it.
            pool |= {"filled": 0.0, "capacity": f"{self.offered}B"}
        pool.pop("snapshots", None)
        requests = size // TRANSFER
        # An open rate with room to spare, so that the fill ends in time whatever the drives are.
        filling = 2.0 * requests / _RATE + 10.0
        if snapshot:
            pool["snapshots"] = {"interval": f"{filling}s", "retain": 1}
        body: dict[str, Any] = {"name": "com-test", "seed": self.seed}
        if requests:
            changes = ['stream.sw.access={pattern="sequential",begin="start"}']
            fill = {"name": "emerald-1.0-sw", "span": f"{size}B", "requests": requests, "rate_iops": _RATE}
            body["workload"] = [{"name": "fill", "volume": self.volume, "profile": fill | {"set": changes}}]
        seconds = filling * (1.5 if snapshot else 1.0)
        return body | {"array": raw["array"], "observe": {"interval": "60s", "duration": f"{seconds}s"}}

    def _free(self, summary: Mapping[str, Any]) -> int:
        (pool,) = [one for one in summary["virtual_pools"] if one["scheme"] == "reduced"]
        used = pool["reduction"]["stored_bytes"] + pool["reduction"]["snapshot_bytes"]
        return self.part - int(used)

    def _ratios(self, kind: Kind) -> Mapping[str, float]:
        """The pool's ratios for a set: measured on it where the pool has the method."""
        found = DataSet(kind, max(self.size, self.pool.page), self.seed).reducible(self.pool.page)
        return {
            "duplicates": min(0.99, found.duplicates) if self.pool.duplicates > 0 else 0.0,
            "compression": max(1.0, found.compression) if self.pool.compression > 1 else 1.0,
        }
