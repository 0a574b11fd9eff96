"""The log of parity updates of a pool: places on the drives, and memory of the controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ParityLog:
    """``data`` and ``parity`` are units of a stripe, ``drive_bytes`` the log at a drive's end."""

    data: int
    parity: int
    stripe_unit: int
    drive_bytes: int
    regions: int
    run_bytes: int
    buffer_bytes: int

    @property
    def buffer_stripes(self) -> int:
        """Stripes that a buffer is written to."""
        return -(-self.buffer_bytes // (self.data * self.stripe_unit))

    @property
    def half_buffers(self) -> int:
        """Buffers that half of a region's log has room for."""
        return self.drive_bytes // self.stripe_unit // (2 * self.regions * self.buffer_stripes)

    @property
    def buffer_memory_bytes(self) -> int:
        """Two buffers for each region."""
        return 2 * self.regions * self.buffer_stripes * self.data * self.stripe_unit

    @property
    def half_bytes(self) -> int:
        """Half of a region's log, which is read into memory when it is reintegrated."""
        return self.half_buffers * self.buffer_stripes * self.data * self.stripe_unit

    def problem(self, drive_bytes: int) -> tuple[str, str, str] | None:
        """What does not fit: key, message and hint; None where all does."""
        if self.buffer_bytes < (least := self.parity * self.stripe_unit):
            message = f"{self.buffer_bytes} bytes do not hold the updates of a stripe unit, {least} bytes"
            return "log_buffer", message, f"at least {least} bytes, or a smaller stripe_unit"
        if self.half_buffers == 0:
            per_drive = 2 * self.regions * self.buffer_stripes * self.stripe_unit
            message = (
                f"{self.drive_bytes} bytes of each drive do not hold two buffers for each of {self.regions} "
                f"regions, {per_drive} bytes"
            )
            return "log", message, f"at least {per_drive / drive_bytes:.3g}, or fewer log_regions"
        left = drive_bytes // self.stripe_unit - self.drive_bytes // self.stripe_unit
        if left < self.regions:
            return "log", f"{left} stripes are left for data in {self.regions} regions", "a smaller share"
        return None

    def plan(self) -> dict[str, Any]:
        """``ParityLogPlan`` of iowatt-sim."""
        return {
            "drive_bytes": self.drive_bytes,
            "regions": self.regions,
            "run_stripes": -(-self.run_bytes // self.stripe_unit),
            "buffer_bytes": self.buffer_bytes,
        }
