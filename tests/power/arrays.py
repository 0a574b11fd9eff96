"""Arrays made by hand for the tests of power: as text, and as plans without files."""

from __future__ import annotations

from iowatt.model.power.efficiency import EfficiencyCurve, Supplies
from iowatt.model.power.plan import ArrayPart, ArrayPlan, Enclosure, PoolDrives, StaggeredStart, fill, runs

# Drives of 10 W idle, 16 W at work, 2 W standing, 34.8 W for 5 s while starting.
POOL = """
[[array.pool]]
name = "disks"
device.name = "arrays2002-disk"
device.power = { idle = "10W", active = "16W", positioning = "16W", standby = "2W", spin_up_time = "5s" }
count = 8
raid = { level = 5 }
"""
HEAD = """
[[array.power.enclosure]]
name = "head"
supply = { rating = "500W", efficiency = 0.8 }
[[array.power.enclosure.part]]
name = "controller"
kind = "controller"
idle = "60W"
active = "100W"
law = "throughput"
full_iops = 1000
count = 2
"""
SHELF = """
[[array.power.enclosure]]
name = "shelf"
slots = 4
pools = ["disks"]
supply = { rating = "200W", efficiency = 0.8 }
part = [{ name = "fan", kind = "fan", active = "16W", law = "speed-cubed", speed = 0.5 }]
"""
ARRAY = f'name = "made"\n{POOL}\n[array.power]\npue = 1.5\n{HEAD}{SHELF}'


def supplies(rating=500.0, eta=0.8, *, count=2, needed=1, active_standby=False, standby=3.0, factor=0.95):
    points = eta.points if isinstance(eta, EfficiencyCurve) else ((1.0, eta),)
    return Supplies(rating, rating, count, needed, active_standby, standby, factor, "", points)


def drives(count=8, **changes):
    figures = {
        "pool": "disks", "model": "made", "count": count, "raw_bytes": count * 10**12, "form_factor": "3.5",
        "idle_w": 10.0, "operating_w": 16.0, "standby_w": 2.0, "spin_up_w": 30.0, "spin_up_s": 5.0,
    }  # fmt: skip
    return PoolDrives(**{**figures, **changes})


def array(kinds=None, *, slots=4, parts=(), feed=None, stagger=None, **changes):
    """One kind of enclosure with all drives in it."""
    kinds = kinds or [drives()]
    counts = [kind.count for kind in kinds]
    mixes = fill(counts, slots, -(-sum(counts) // slots), even=False)
    enclosure = Enclosure("shelf", tuple(k.pool for k in kinds), slots, runs(mixes), tuple(parts), feed)
    plan = {
        "enclosures": (enclosure,), "drives": {kind.pool: kind for kind in kinds},
        "stagger": None if stagger is None else StaggeredStart(*stagger), "pue": None, "btu_per_wh": 3.412142,
        "btu_slip": False,
    }  # fmt: skip
    return ArrayPlan(**{**plan, **changes})


def part(**changes):
    figures = {"name": "p", "kind": "other", "count": 1, "law": "constant", "idle_w": 10.0, "active_w": 10.0}
    return ArrayPart(**{**figures, **changes})
