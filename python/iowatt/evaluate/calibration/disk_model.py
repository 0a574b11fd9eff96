"""A trace of requests one at a time on candidates of a disk."""

from __future__ import annotations

from typing import Any

from iowatt.evaluate.calibration.candidate import CandidateFiles
from iowatt.evaluate.calibration.disk_signs import Array
from iowatt.evaluate.validation import PacedRequests, respond
from iowatt.model.library import DeviceFile, Disk, find_drive, seek_time


def start_of(drive: Disk) -> dict[str, float]:
    """The figures of a drive by the names above."""
    controller, sector = drive.controller, drive.sector_bytes
    return {
        "rpm": drive.rpm,
        "command_read": max(2e-5, controller.read_miss[0]),
        "command_write": max(2e-5, controller.write_miss[0]),
        "seek.single_cylinder": seek_time(drive.seek, 1),
        "seek.average": drive.average_seek_s,
        "seek.full_stroke": seek_time(drive.seek, drive.cylinders),
        "geometry.outer_rate": drive.sequential_rate(0),
        "geometry.inner_rate": drive.sequential_rate(-1),
        "command_hit": max(2e-5, controller.read_hit[0]),
        "controller.sector": max(1e-8, controller.sector[0] or sector / 600e6),
    }


class DiskModel:
    """The trace on candidates: ``fitted`` figures are written to them, ``moved`` ones are sought."""

    def __init__(
        self,
        file: DeviceFile,
        drive: Disk,
        paced: PacedRequests,
        candidates: CandidateFiles,
        fitted: set[str],
    ) -> None:
        self.file, self.drive, self.paced, self.candidates = file, drive, paced, candidates
        self.fitted, self.moved = fitted, set(fitted)

    def tables(self, figures: dict[str, float], policies: dict[str, str]) -> dict[str, Any]:
        """Key paths of a device file, as its texts."""
        given = {path: value for path, value in figures.items() if path in self.fitted}
        tables: dict[str, Any] = {}
        for path in ("seek.single_cylinder", "seek.average", "seek.full_stroke"):
            if path in given:
                tables[path] = f"{given[path] * 1e3:.6g}ms"
        for path in ("geometry.outer_rate", "geometry.inner_rate"):
            if path in given:
                rate = min(given[path], figures["geometry.outer_rate"])
                tables[path] = f"{rate / 1e6:.6g}MB/s"
        if "rpm" in given:
            tables["rpm"] = float(f"{given['rpm']:.7g}")
        tables.update(self._electronics(given))
        buffer = self.drive.buffer.model_copy(update=policies).model_dump()
        buffer["zero_latency"] = list(buffer["zero_latency"])
        tables.update({f"buffer.{name}": value for name, value in buffer.items()})
        queue = self.drive.command_queue
        tables["command_queue.scheduler"] = queue.scheduler
        if queue.depth is not None:
            tables["command_queue.depth"] = queue.depth
        return tables

    def _electronics(self, given: dict[str, float]) -> dict[str, Any]:
        def us(value: float) -> str:
            return f"{value * 1e6:.6g}us"

        if self.own_overheads:
            named = {"command_read": "read_overhead", "command_write": "write_overhead"}
            return {named[path]: us(given[path]) for path in named if path in given}
        controller, tables = self.drive.controller, {}
        for path, name in (
            ("command_read", "read_miss"), ("command_write", "write_miss"), ("command_hit", "read_hit"),
        ):  # fmt: skip
            value = given.get(path)
            old = getattr(controller, name)
            tables[f"controller.{name}"] = [us(one if value is None else value) for one in old]
        tables["controller.write_hit"] = tables[
            "controller.write_miss" if "command_write" in given else "controller.read_miss"
        ]
        sector = given.get("controller.sector")
        tables["controller.sector"] = [
            f"{(one if sector is None else sector) * 1e9:.6g}ns" for one in controller.sector
        ]
        return tables

    @property
    def own_overheads(self) -> bool:
        """Whether the base gives overheads by direction alone: it has no place for hits and the bus."""
        return self.file.read_overhead is not None or self.file.write_overhead is not None

    def times(self, figures: dict[str, float], policies: dict[str, str]) -> Array:
        """Response times in seconds. Raises ``InputError`` where the figures contradict one another."""
        drive = find_drive(self.candidates.file(self.tables(figures, policies)))
        return respond(drive, self.paced)[0] / 1e3
