"""A family with round numbers, and work that is a formula, so that its peaks can be worked out by hand.

n drives in shelves of four: 100 IOPS of each up to 1000 at RR, 50 up to 300 at RW, at 100 W + 20 W a
shelf + 10 W a drive. So by shelves RR has 2.5, 3.636, 3.571, 2.941 IOPS/W at 4, 8, 12, 16, and by drives its
peak at 10 (3.846), behind a fall to 3.6 at 9, where the third shelf begins. RW: 1.25, 1.364, 1.071; by
drives 1.5 at 6.
"""

from __future__ import annotations

import math
import tomllib

from iowatt.emerald.bff.result import PointFigures, power_efficiency
from iowatt.emerald.family import read

DEVICE = """\
name = "drive"
kind = "hdd"
title = "A drive of round numbers"
based_on = "hotband2013-15k"
form_factor = "2.5"
capacity = "100GB"

[power]
idle = "5W"
positioning = "10W"
random_read = "10W"
active = "10W"
"""

FAMILY = """\
schema = "iowatt.family/1"
name = "tiny"

[test]
limit = "20ms"
requests = 600
warmup_requests = 100
sequential_read = { streams = 2, outstanding = 4, warmup = "100ms", duration = "400ms" }
sequential_write = { streams = 2, outstanding = 4, warmup = "100ms", duration = "400ms" }

[[controller]]
name = "only"
drives = { "2.5" = 16 }
part = [{ name = "controllers", kind = "controller", idle = "100W" }]
supply = { rating = "1kW", efficiency = 0.8 }

[[shelf]]
name = "small"
slots = 4
form_factor = "2.5"
part = [{ name = "shelf", kind = "enclosure", idle = "20W" }]
supply = { rating = "500W", efficiency = 0.8 }

[[drive]]
name = "disk"
device = "drive.toml"

[[raid]]
name = "stripes"
level = 0

[[source]]
figures = ["controller.only.drives"]
quality = "assumed"
text = "round numbers"
"""

OUT = """
[scale_out]
nodes = { least = 1, most = 8 }
drives_per_node = [4]
interconnect = { hop = "1ms" }
"""


def family(folder, text=FAMILY, sets=()):
    """The family, its device file in ``folder``."""
    (folder / "drive.toml").write_text(DEVICE)
    return read(text, "tiny.toml", folder, sets)


def watts(drives):
    """At work, by the formula."""
    return 100 + 20 * math.ceil(drives / 4) + 10 * drives


def count(text):
    """Drives of a scenario."""
    return sum(pool["count"] for pool in tomllib.loads(text)["array"]["pool"])


def judged(metric, text, basis="simulated", off=1.0):
    """Figures by the formula, ``off`` times as many requests."""
    drives = count(text)
    iops = off * (min(50.0 * drives, 300.0) if metric.name == "RW" else min(100.0 * drives, 1000.0))
    wall = float(watts(drives))
    return PointFigures(
        basis=basis,
        ep=power_efficiency(metric, iops, iops / 4, wall),
        wall_w=wall,
        iops=iops,
        mib_per_s=iops / 4,
        response_ms=20.0,
        stations={"drives": iops / 100 / drives},
        runs=1,
    )


def formula(task, report):
    """In the place of a simulation."""
    report(1.0)
    return {"key": task.key, "figures": judged(task.metric, task.text).as_dict()}
