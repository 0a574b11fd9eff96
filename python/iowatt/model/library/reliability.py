"""How often a drive fails and cannot read: what its data sheet rates, and its class for what is not rated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from iowatt.model.library.device import DeviceFile
from iowatt.model.library.price_class import price_class_of

#: Each class, and what is in it.
RELIABILITY_CLASSES: Final = {
    "hdd-enterprise": "disks with SAS, SCSI or FC, of 10,000 rpm and more, of more than 12 TB, or rated for "
    "1,000,000 h and more between failures",
    "hdd-desktop": "other disks",
    "ssd-enterprise": "SSDs with SAS or in the data centre's forms (U.2, U.3, E1, E3, cards), or rated for "
    "2,000,000 h and more between failures",
    "ssd-client": "other SSDs",
}
ReliabilityClass = Literal["hdd-enterprise", "hdd-desktop", "ssd-enterprise", "ssd-client"]

_HOURS: Final = {"hdd": 1e6, "ssd": 2e6}
_SERVER_LINKS: Final = ("sas", "scsi", "fc")
_SERVER_PRICES: Final = ("hdd-10k-15k", "hdd-to-18tb", "hdd-over-18tb", "ssd-u2")


@dataclass(frozen=True)
class RatedReliability:
    """Ratings of a drive; None where its file has none."""

    of_class: ReliabilityClass
    #: Annual failure rate as a share.
    afr: float | None = None
    mtbf_hours: float | None = None
    #: Unrecoverable read errors for each bit read.
    uber: float | None = None
    #: What its file says of the source of ``uber``.
    uber_source: str | None = None

    @classmethod
    def of(cls, file: DeviceFile, capacity_bytes: int) -> RatedReliability:
        """What ``file`` says of a drive that is sold with ``capacity_bytes``."""
        rated = file.endurance
        return cls(
            _class_of(file, capacity_bytes),
            None if rated.afr_percent is None else rated.afr_percent / 100,
            rated.mtbf_hours,
            rated.uber,
            _source(file) if rated.uber is not None else None,
        )

    def as_dict(self) -> dict[str, object]:
        """As a plan's names hold it: ``class``, and the ratings that there are."""
        rated = {
            "afr": self.afr,
            "mtbf_hours": self.mtbf_hours,
            "uber": self.uber,
            "uber_source": self.uber_source,
        }
        return {"class": self.of_class, **{name: value for name, value in rated.items() if value is not None}}


def _source(file: DeviceFile) -> str | None:
    source = file.source_of("endurance.uber")
    return None if source is None else f"{source.text} ({source.quality})"


def _class_of(file: DeviceFile, capacity_bytes: int) -> ReliabilityClass:
    link = (file.interface or "").lower()
    price = price_class_of(file.kind, file.interface, file.form_factor, file.rpm, capacity_bytes)
    server = (
        price in _SERVER_PRICES
        or any(word in link for word in _SERVER_LINKS)
        or (file.endurance.mtbf_hours or 0.0) >= _HOURS[file.kind]
    )
    if file.kind == "hdd":
        return "hdd-enterprise" if server else "hdd-desktop"
    return "ssd-enterprise" if server else "ssd-client"
