"""The study of 2013: cache and tiering raise IOPS per watt."""

from typing import Final

from iowatt.studies.study import Study

STUDY: Final = Study(
    name="hotband2013",
    title="Cache and tiering raise IOPS per watt",
    question="What do a cache of 3 % of the working set, a tier of SSDs, and capacity optimisation do to "
    "IOPS, response time, IOPS per watt and GB per watt of an array under random requests and under "
    "Emerald's hot band?",
    source="Paridon, Tanzer (HP): SNIA Storage Developer Conference 2013",
)
