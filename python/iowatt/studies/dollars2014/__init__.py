"""The study of 2014: what caching and tiering cost in dollars, at once and in the long run."""

from typing import Final

from iowatt.studies.study import Study

STUDY: Final = Study(
    name="dollars2014",
    title="What caching and tiering cost in dollars",
    question="An SSD in front of a disk, as a cache or as a tier: which is faster, which wears the SSD, and "
    "which is cheaper, bought today and after the same work has been done a hundred thousand times?",
    source="Li, Mukker, Zadok: HotStorage 2014",
)
