"""A submission analysed again, by the same code that its submitter used.

``emerald`` judges a measurement, ``run`` simulates or imports a Run; ``compare`` lists what differs,
``guard`` refuses paths that lead elsewhere, ``apart`` does it all in a process of its own.
"""

from pathlib import Path

from iowatt.base import input_file
from iowatt.registry.bundle import Submission
from iowatt.registry.reanalysis.apart import AnalysisLimits, analyse_apart
from iowatt.registry.reanalysis.result import Discrepancy, FoundFigure, Reanalysis

__all__ = ["AnalysisLimits", "Discrepancy", "FoundFigure", "Reanalysis", "analyse", "analyse_apart"]


def analyse(folder: Path, submission: Submission | None = None) -> Reanalysis:
    """Analyse the bundle that was unpacked into ``folder``; ``submission`` is its document.

    The process keeps what it read of earlier folders: see ``analyse_apart`` for what strangers submit.
    Raises ``InputError`` where the submission cannot be read, or made again.
    """
    from iowatt.registry.reanalysis import emerald, run

    if submission is None:
        submission = Submission.model_validate_json(input_file.whole(folder / "submission.json"))
    return (
        emerald.analyse(folder, submission)
        if submission.kind == "emerald"
        else run.analyse(folder, submission)
    )
