"""The study of 2012: SNIA Emerald's training, and the best foot forward of its Online-3 family."""

from typing import Final

from iowatt.studies.study import Study

STUDY: Final = Study(
    name="emerald2012",
    title="The best foot forward of an Online-3 family",
    question="Which number of drives gives a family of arrays its highest IOPS, MB/s and GB per watt under "
    "each profile of Emerald, by whole shelves and by single drives, with RAID-5 and with RAID-10; and what "
    "was measured?",
    source="SNIA Green Storage TWG: Emerald measurement specification training, 2012",
)
