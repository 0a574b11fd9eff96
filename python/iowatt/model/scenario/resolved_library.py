"""A library of a scenario with all figures of its parts: its devices, its capacity, its plan.

The simulator counts bytes of hosts: what is on tape is multiplied by the compression ratio. A mean locate
from the beginning of the tape covers half its length, so that the whole length takes twice what exceeds the
overhead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.results import Note
from iowatt.model.library.tape import MediaLibraryFigures, TapeDriveFigures, TapeDrivePower
from iowatt.model.scenario.keys.library import LibraryKeys

#: States of tape drives beyond those of all devices, in the order of the plan.
STATES: Final = ("unloaded", "load", "unload")


@dataclass(frozen=True)
class ResolvedLibrary:
    """A library with the figures of its parts, all of them known."""

    keys: LibraryKeys
    drive: TapeDriveFigures
    robotics: MediaLibraryFigures
    model: str  #: What its drives are called in results.
    frame_model: str
    notes: list[Note]

    @property
    def cartridge_bytes(self) -> int:
        """Host bytes that a cartridge takes, in whole MiB: so no request of a stream reaches over two."""
        return int((self.drive.capacity or 0) * self.keys.compression) >> 20 << 20

    @property
    def capacity_bytes(self) -> int:
        """Host bytes of all cartridges."""
        return self.cartridge_bytes * self.keys.cartridges

    @property
    def raw_bytes(self) -> int:
        """Bytes of all cartridges, without compression: the formatted capacity."""
        return (self.drive.capacity or 0) * self.keys.cartridges

    @property
    def idle_w(self) -> float:
        """Watts of the whole library with empty drives."""
        return float(sum(device["idle_w"] for device in self.devices()))

    def names(self) -> dict[str, Any]:
        """Its names in the plan, with its capacity on tape and for hosts."""
        return {
            "name": self.keys.name,
            "raw_bytes": self.raw_bytes,
            "capacity_bytes": self.capacity_bytes,
        }

    def devices(self) -> list[dict[str, Any]]:
        """Names of the plan: drives, robots and the frame."""
        name, keys = self.keys.name, self.keys
        power, robotics = self.drive.power, self.robotics

        def device(kind: str, own: str, model: str, idle: float | None, raw: int = 0) -> dict[str, Any]:
            return {
                "name": f"{name}.{own}", "model": model, "pool": name, "kind": kind, "raw_bytes": raw,
                "used_share": 1.0, "idle_w": idle or 0.0, "ratings": {},
                "levels": list(STATES) if kind == "tape_drive" else [],
            }  # fmt: skip

        return [
            *(device("tape_drive", str(n), self.model, power.unloaded) for n in range(keys.drives)),
            *(
                device("robot", f"robot{n}", self.frame_model, robotics.robot_idle)
                for n in range(keys.robots)
            ),
            # Cartridges belong to the library, not to a drive.
            device("library_frame", "frame", self.frame_model, robotics.frame, self.raw_bytes),
        ]

    def plan(self, states: dict[str, int]) -> dict[str, Any]:
        """The library as the simulator has it; ``states`` are the numbers of the further states."""
        keys, drive, power, robotics = self.keys, self.drive, self.drive.power, self.robotics
        ratio = keys.compression
        most = max(min((drive.rate or 0) * ratio, drive.compressed_rate or 0), 0)
        overhead = min(drive.locate_overhead or 0.0, drive.locate or 0.0)
        return {
            "drives": keys.drives,
            "robots": keys.robots,
            "cartridges": keys.cartridges,
            "cartridge_bytes": self.cartridge_bytes,
            "drive": {
                "wraps": drive.wraps,
                "end_to_end_s": 2 * ((drive.locate or 0.0) - overhead),
                "locate_overhead_s": overhead,
                "load_s": drive.load,
                "unload_s": drive.unload,
                "reposition_s": drive.reposition,
                "speed_bytes_per_s": [min((drive.slowest or 0) * ratio, most), most],
                "buffer_bytes": int((drive.buffer or 0) * ratio),
                "interface_bytes_per_s": max(drive.interface or 0, most),
                "flush_s": drive.flush,
                "power": {
                    **{f"{name}_w": getattr(power, name) for name in TapeDrivePower.model_fields},
                    "states": [states[name] for name in STATES],
                },
            },
            "move_s": robotics.move,
            "hold_s": keys.hold,
            "unload_after_s": keys.unload_after,
            "robot_w": [robotics.robot_idle, robotics.robot_moving],
            "frame_w": robotics.frame,
        }
