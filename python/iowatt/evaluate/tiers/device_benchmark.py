"""What one drive of a technology does under random requests, from two short simulations of it.

One request outstanding gives the service time, its variation and the energy of an operation; several give the
rate at saturation, which scheduling (disks) and parallel flash (SSDs) raise above one over the service time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError
from iowatt.base.toml_writer import inline

#: Requests of each simulation: the mean service time is then known within 1 % or so.
REQUESTS = 6000
#: Requests outstanding at saturation: enough for scheduling to matter, few enough for a bearable wait.
OUTSTANDING_DISK = 4
OUTSTANDING_SSD = 32


@dataclass(frozen=True)
class BenchmarkedDrive:
    """One drive at random requests of one size and mix.

    Times in s, rates in 1/s; ``operation_j`` is what an operation draws above idling, ``channels`` how many
    requests it seems to serve at once.
    """

    service_s: float
    variation: float
    saturated_iops: float
    idle_w: float
    operation_j: float
    capacity_bytes: int
    usd: float | None
    kind: str

    @property
    def channels(self) -> float:
        """Servers that a queue of the drive has: rate at saturation times service time, 1 at least."""
        return max(1.0, self.saturated_iops * self.service_s)


def table(device: Any, base: Path) -> tuple[int, str, float | None]:
    """Bytes, kind (``hdd``, ``ssd``) and price of a drive as a scenario names it.

    Raises
    ------
    InputError
        There is no such drive.
    """
    from iowatt.model.library.find import device_file

    name, drive = (device, None) if isinstance(device, str) else (device["name"], device.get("drive"))
    file = device_file(name, base, drive)
    price = file.price.usd if file.price is not None else None
    return 0, file.kind, price


def benchmark_drive(
    pool: Mapping[str, Any],
    base: Path,
    *,
    size: float,
    read_share: float,
    span_bytes: float | None,
    seed: int,
) -> BenchmarkedDrive:
    """Simulate one drive of a pool's table (``device``, ``queue_depth``, ...).

    Parameters
    ----------
    size
        Mean bytes of an operation.
    read_share
        Of the operations.
    span_bytes
        What of the drive is used; all of it where None.

    Raises
    ------
    InputError
        The drive cannot be simulated; the message says which figure is missing.
    """
    _, kind, usd = table(pool["device"], base)
    outstanding = max(int(pool.get("queue_depth", 1)), OUTSTANDING_SSD if kind == "ssd" else OUTSTANDING_DISK)
    asked: dict[str, Any] = {"size": size, "read_share": read_share, "span_bytes": span_bytes, "seed": seed}
    one = _run(pool, base, **asked, outstanding=1)
    if (unknown := one["energy"]["unknown"]) is not None:
        raise InputError("missing-figure", None, f"the energy of tiers is compared, and {unknown}")
    many = _run(pool, base, **asked, outstanding=outstanding)
    response, idle_w = one["response_time_ms"]["all"], float(one["power_w"]["idle"])
    service_s = response["mean"] / 1e3
    return BenchmarkedDrive(
        service_s=service_s,
        variation=(response["std"] / response["mean"]) if response["mean"] else 0.0,
        saturated_iops=float(many["throughput"]["iops"]),
        idle_w=idle_w,
        operation_j=max(0.0, (one["power_w"]["mean"] - idle_w) / one["throughput"]["iops"]),
        capacity_bytes=round(one["capacity_gb"]["raw"] * 1e9),
        usd=usd,
        kind=kind,
    )


def _run(
    pool: Mapping[str, Any],
    base: Path,
    *,
    size: float,
    read_share: float,
    span_bytes: float | None,
    seed: int,
    outstanding: int,
) -> dict[str, Any]:
    from iowatt.evaluate import evaluation
    from iowatt.model.scenario import load
    from iowatt.run import provenance

    unit = 4096 if size >= 4096 else 512
    profile = {
        "name": "uniform",
        "requests": REQUESTS,
        "rate_iops": 1000,  # a closed loop goes by completions, but a profile must say one
        "set": [
            f"stream.uniform.read_share={100 * read_share:.6g}",
            f"stream.uniform.size={max(unit, round(size / unit) * unit)}",
        ],
    }
    if span_bytes is not None:
        profile["span"] = f"{max(1, round(span_bytes / 1e6)) * 1_000_000}B"
    one = {key: value for key, value in pool.items() if key not in ("name", "count", "raid")}
    lines = [
        'name = "pilot"',
        f"seed = {seed}",
        "[[workload]]",
        'name = "random"',
        f"profile = {inline(profile)}",
        f'replay = {{ mode = "closed", outstanding = {outstanding} }}',
        "[[array.pool]]",
        'name = "drive"',
        "count = 1",
        *(f"{key} = {inline(value)}" for key, value in one.items()),
    ]
    text = "\n".join(lines) + "\n"
    work = evaluation.prepare(load(text, base_dir=base), base, text)
    return evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now()).summary
