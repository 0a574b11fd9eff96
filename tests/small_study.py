"""The arrays2002 study on a few seconds of its workloads: every stage, some seconds of work."""

from __future__ import annotations

from dataclasses import replace

from iowatt.studies import find
from iowatt.studies.arrays2002 import systems

TINY = systems.DesignScale(
    disks=(24, 32),
    units_kib=(16, 256),
    few_disks=(24, 32),
    detail_disks=(30, 32),
    captured_s={"tpcc": 8.0, "tpch": 0.6},
    synthetic_s={"tpcc": 20.0, "tpch": 20.0},
    gaps_s=(42.0, 50.0, 70.0),
    periodic_s=600.0,
)


def tiny(keep=lambda _: True):
    """The study, with those of its stages that ``keep`` lets through."""
    return replace(find("arrays2002"), scale=TINY, keep=keep)
