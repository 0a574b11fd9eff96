"""Workspaces for the server: two simulated Runs and a measured one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from serving import COMMAND

import iowatt
from iowatt.model.scenario import EXAMPLES

SHORT = {"workload.oltp.trace.end": "20s"}
DATA = Path(__file__).resolve().parents[1] / "data"
FIO = DATA / "fio" / "json_plus_3.33_sample.json"
GROUPS = DATA / "fio-runs" / "groups" / "out.json"  #: Two job groups.

STARTED = 1795189520  #: When fio began, Unix seconds.


def workspace(folder):
    """Three Runs below ``folder``: ``runs/raid5``, ``runs/cache`` and ``lab/fio``."""
    iowatt.run(EXAMPLES / "oltp-raid5.toml", set=SHORT, output=folder / "runs" / "raid5")
    iowatt.run(EXAMPLES / "oltp-ssd-cache.toml", set=SHORT, output=folder / "runs" / "cache")
    meter = folder / "watts.csv"
    rows = [f"{STARTED + second},{120 + second % 2}" for second in range(9)]
    meter.write_text("when,P\n" + "\n".join(rows) + "\n", "utf-8")
    power = ("--meter", f"csv:{meter}?time=when&watts=P&utc-offset=Z", "--name", "bench")
    made = [
        sys.executable,
        "-c",
        COMMAND,
        "import",
        str(FIO.parent),
        "-o",
        str(folder / "lab" / "fio"),
        *power,
    ]
    subprocess.run(made, check=True, capture_output=True)
    return folder
