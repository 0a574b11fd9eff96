"""Schemes that move data so that drives can stop: write off-loading, MAID, popular data concentration."""

from typing import Final

from iowatt.studies.study import Study

STUDY: Final = Study(
    name="offloading2008",
    title="Moving data so that drives can stop",
    question="What do write off-loading, MAID and popular data concentration save on a week of volumes of "
    "low load, compared with spin-down alone, and what do requests pay for it?",
    source="Narayanan, Donnelly, Rowstron, FAST 2008; Colarelli, Grunwald, SC 2002; Pinheiro, Bianchini, ICS "
    "2004",
)
