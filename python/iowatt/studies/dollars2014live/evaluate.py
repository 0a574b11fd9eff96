"""The stages and findings of the live study, which are those of dollars2014 on live volumes."""

from iowatt.studies.dollars2014 import LIVE_FULL as FULL
from iowatt.studies.dollars2014 import LIVE_QUICK as QUICK
from iowatt.studies.dollars2014 import live_findings as findings
from iowatt.studies.dollars2014 import live_stages as stages

__all__ = ["FULL", "QUICK", "findings", "stages"]
