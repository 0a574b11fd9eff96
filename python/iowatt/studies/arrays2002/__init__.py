"""The study of 2002: energy and performance of RAID arrays under transaction processing."""

from typing import Final

from iowatt.studies.study import Study

STUDY: Final = Study(
    name="arrays2002",
    title="Energy and performance of RAID arrays under transaction processing",
    question="What do spin-down, RAID level, number of disks and stripe unit do to the energy and the "
    "response time of a disk array under TPC-C and TPC-H?",
    source="Gurumurthi, Zhang, Sivasubramaniam, Kandemir, Franke, Vijaykrishnan, Irwin: Penn State "
    "CSE-02-014, 2002; ISPASS 2003",
)
