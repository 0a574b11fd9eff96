"""A measurement in words, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.emerald.conduct.state import State

if TYPE_CHECKING:
    from iowatt.emerald.conduct.sequence import Progress


def lines(state: State, path: Path) -> Iterator[str]:
    """Each stage with what became of it, then what stands against the results."""
    width = max(len(found.stage.id) for found in state.stages)
    for found in state.stages:
        attempt = found.counted or (found.attempts[-1] if found.attempts else None)
        said = found.status
        if attempt is not None and attempt.ended is not None:
            said += f" after {duration(attempt.ended - attempt.started)}"
        if attempt is not None and attempt.number > 1:
            said += f", attempt {attempt.number}"
        if found.status != "finished" and attempt is not None and attempt.text:
            said += f": {attempt.text}"
        yield f"{found.stage.id.ljust(width)}  {said}"
    for failure in state.meters:
        what = (
            f"failed: {failure['text']}"
            if "text" in failure
            else f"was back after {failure['seconds']:.1f} s"
        )
        yield f"instrument {failure['meter']} {what}"
    against = [*(found.text for found in state.plan.deviations), *(found.text for found in state.deviations)]
    for text in against:
        yield f"NON-COMPLIANT: {text}"
    yield f"measurement: {path}" if state.finished else f"measurement, not finished: {path}"


def progress_line(at: Progress) -> str:
    """How far it is, in a line."""
    parts = [f"{at.stage.id} ({at.number} of {at.of})"]
    length = "until all is written" if at.stage.seconds is None else duration(at.stage.seconds)
    if at.simulated:
        return f"{parts[0]}, simulated: {length}"
    parts.append(f"{duration(at.elapsed_s)} of {length}" if at.stage.seconds else length)
    parts.append(f"{duration(at.left_s)} left" + (" besides what is written first" if at.open_ended else ""))
    if at.watts is not None:
        parts.append(f"{at.watts:.1f} W")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """1:02:03, or 4.5 s where it is short."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
