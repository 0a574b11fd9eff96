"""What varies within a family besides its hardware: RAS and COM features, with their ranges.

The taxonomy calls such attributes the variables of a product family. They are recorded with the family and
not modelled: a figure is that of the configuration as the other tables have it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from iowatt.base.strict import Name, Strict, key
from iowatt.emerald.com_names import Com

Offered = Literal["always", "optional"]


class RasFeature(Strict):
    """A feature of reliability, availability or serviceability, and how many of it there may be."""

    feature: Name = key(
        "What it is: spare-drives, redundant-controllers, redundant-supplies, replication ...",
        example="spare-drives",
    )
    least: int = key("Fewest in a configuration; 0: it may be left out.", ge=0, le=100_000, example=0)
    most: int = key("Most in a configuration.", ge=0, le=100_000, example=8)
    tested: int | None = key(
        "How many the configurations of this file have.", default=None, unset="not stated", ge=0, example=2
    )
    note: str | None = key("A remark for a reader.", default=None, unset="nothing", max_length=1000)

    @model_validator(mode="after")
    def _rising(self) -> RasFeature:
        if self.least > self.most:
            raise ValueError(f"least, {self.least}, is more than most, {self.most}")
        if self.tested is not None and not self.least <= self.tested <= self.most:
            raise ValueError(f"tested, {self.tested}, is not within {self.least} to {self.most}")
        return self


class ComFeature(Strict):
    """A capacity optimisation method of the family."""

    method: Com = key("Its name, as in a report.", example="thin-provisioning")
    offered: Offered = key(
        "always: every configuration has it; optional: some have.", default="optional", example="optional"
    )
    during_test: bool = key(
        "Whether it is on in the configurations of this file.", default=False, example=False
    )
    note: str | None = key("A remark for a reader.", default=None, unset="nothing", max_length=1000)
