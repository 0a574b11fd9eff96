"""Which storage to buy: a question answered by simulating the best of each family of candidates.

``question`` is the file and ``template`` asks for one; ``load`` scales its workloads, ``footprint`` measures
what that keeps. ``families``, ``design`` and ``layout`` make candidates, ``own`` takes in given systems.
``trials`` estimates and simulates them; ``size``, ``search`` and ``confirm`` find the smallest of each family
that meets the requirements, by ``judge``. ``answer``, ``figures`` and ``change`` make the document,
``conduct`` does all of it from a ``request``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.evaluate.choose.conduct import (
        DOCUMENT,
        FOLDER,
        PAGE,
        WORKBOOK,
        ChooseOutcome,
        run_choose,
    )
    from iowatt.evaluate.choose.families import families_of, library
    from iowatt.evaluate.choose.load import ScaledWorkload, scaled_workloads
    from iowatt.evaluate.choose.question import LEVELS, AskedWorkload, StorageQuestion
    from iowatt.evaluate.choose.request import BOOK, ChooseRequest, choose_request
    from iowatt.evaluate.choose.template import asked_question, template_question

__all__ = [
    "BOOK", "DOCUMENT", "FOLDER", "LEVELS", "PAGE", "WORKBOOK", "AskedWorkload", "ChooseOutcome",
    "ChooseRequest", "ScaledWorkload", "StorageQuestion", "asked_question", "choose_request", "families_of",
    "library", "run_choose", "scaled_workloads", "template_question",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "conduct": "DOCUMENT FOLDER PAGE WORKBOOK ChooseOutcome run_choose",
            "families": "families_of library",
            "load": "ScaledWorkload scaled_workloads",
            "question": "LEVELS AskedWorkload StorageQuestion",
            "request": "BOOK ChooseRequest choose_request",
            "template": "asked_question template_question",
        },
    )
