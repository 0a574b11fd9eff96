"""What the devices of a simulated Run were checked against: words for the line in which an answer stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from iowatt.model.library import device_evidence, doubts
from iowatt.run.record import MODELLED

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


FEW_WRITES: Final = 0.01
"""Share of the requests that may be writes where only reads of a device were measured."""


def run_doubt(run: Run, purpose: str) -> str | None:
    """Why a Run's ``mean``, ``tail``... may not be trusted; None where it may, or was measured."""
    if run.summary["source"] not in MODELLED:
        return None
    requests = run.summary["requests"]
    writes = requests["writes"] > FEW_WRITES * max(1, requests["count"])
    return doubts(simulated_devices(run.summary, run.plan), purpose, writes=writes)


def joined(texts: Iterable[str | None]) -> str | None:
    """Several doubts as one; None where there is none."""
    return "; ".join(dict.fromkeys(text for text in texts if text)) or None


def grades(run: Run) -> dict[str, str]:
    """Of each model of drive of a simulated Run: ``replayed: mean, tail``, ``sheet only``."""
    if run.summary["source"] not in MODELLED:
        return {}
    own = _own_files(run.plan)
    models = dict.fromkeys(str(device["model"]) for device in run.summary["devices"])
    return {model: device_evidence("" if model in own else model).in_short for model in models}


def simulated_devices(summary: Mapping[str, Any], plan: Mapping[str, Any]) -> Iterator[str]:
    """Models of drives; a file of one's own with a library's name is told apart."""
    own = _own_files(plan)
    for model in dict.fromkeys(str(device["model"]) for device in summary["devices"]):
        yield f"{model} of an own file" if model in own else model


def _own_files(plan: Mapping[str, Any]) -> set[str]:
    devices = (plan.get("names") or {}).get("devices", [])
    return {device["model"] for device in devices if device.get("own_file")}
