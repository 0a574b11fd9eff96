"""The study of 2015: what Express Writes did to the latency of an all-flash array."""

from typing import Final

from iowatt.studies.study import Study

STUDY: Final = Study(
    name="latency2015",
    title="What an array feature does to latency",
    question="Writes that no longer wait for the controller to find them a buffer took 0.25 ms instead "
    "of 0.5 ms on one array under one load. Which arrays and loads give these two figures, what else "
    "would tell them apart, and where on the way from host to flash does the time go?",
    source="Demartek: HP 3PAR StoreServ 7450 with 8Gb Express Writes, 2015",
)
