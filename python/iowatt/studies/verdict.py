"""A conclusion that was published, held against what we measure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """Whether a published conclusion holds here.

    Where it does not, ``cause`` says why and ``experiment`` what was measured that shows it; a verdict that
    differs without both is refused. Of a conclusion that a reduced study cannot judge, ``tried`` is False:
    it neither agrees nor differs. Nor does one that an assumed ``ceiling`` decides: a figure that stops where
    somebody assumed that it would is no evidence.
    """

    key: str
    claim: str
    #: What it was tried on: workload, source, RAID level.
    case: str
    published: str
    ours: str
    agrees: bool
    cause: str = ""
    experiment: str = ""
    tried: bool = True
    #: The assumed limit that decides the figure; empty where none does.
    ceiling: str = ""

    def __post_init__(self) -> None:
        if self.ceiling and self.tried:
            raise ValueError(f"{self.key} ({self.case}) is judged though an assumption decides it")
        if self.agrees and not self.tried:
            raise ValueError(f"{self.key} ({self.case}) agrees though it was not tried")
        if self.tried and not self.agrees and not (self.cause and self.experiment):
            raise ValueError(f"{self.key} ({self.case}) differs without a cause and an experiment")

    @property
    def word(self) -> str:
        """The verdict in a word."""
        if self.ceiling:
            return "not judged"
        if not self.tried:
            return "not tried"
        return "agree" if self.agrees else "differ"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "verdict": self.word}
