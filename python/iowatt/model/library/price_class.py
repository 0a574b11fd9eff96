"""How a drive is priced: its class in a price list, and its own price where its file has one.

A cost book has a price per gigabyte and a write amplification for each class (``purchase.price.CLASS``). The
bounds in TB lie between those of the listings that prices were taken from (3 to 6, 8 to 12, 14 to 18, 20 to
26 TB).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from iowatt.model.library.device import DeviceFile

#: Each class, and what is in it.
PRICE_CLASSES: Final = {
    "hdd-to-6tb": "disks below 10,000 rpm of up to 6 TB, however small",
    "hdd-to-12tb": "disks below 10,000 rpm of more than 6 and up to 12 TB",
    "hdd-to-18tb": "disks below 10,000 rpm of more than 12 and up to 18 TB",
    "hdd-over-18tb": "disks below 10,000 rpm of more than 18 TB",
    "hdd-10k-15k": "disks of 10,000 rpm and more, of any capacity",
    "ssd-sata": "SSDs with SATA, or whose interface is not known",
    "ssd-nvme": "NVMe SSDs of the client's form (M.2)",
    "ssd-u2": "NVMe SSDs of the data centre's forms (U.2, U.3, E1, E3, cards), and SAS SSDs",
}

_FAST_RPM: Final = 9500
_TB: Final = 10**12
_SIZES: Final = ((6 * _TB, "hdd-to-6tb"), (12 * _TB, "hdd-to-12tb"), (18 * _TB, "hdd-to-18tb"))
#: Capacities are rounded differently by each vendor: 6 TB may be 6,001,175,126,016 bytes.
_SLACK: Final = 1.01
_DATA_CENTRE: Final = ("u.2", "u.3", "e1.", "e3.", "edsff", "aic")


def price_class_of(
    kind: Literal["hdd", "ssd"],
    interface: str | None,
    form_factor: str | None,
    rpm: float | None,
    raw_bytes: int,
) -> str:
    """The class of a drive, one of ``PRICE_CLASSES``.

    Parameters
    ----------
    interface, form_factor:
        In the words of device files, such as ``SATA 6G`` and ``U.2/E3.S``.
    rpm:
        Speed of a disk; 7,200 where it is not known.
    raw_bytes:
        The capacity that it is sold with.
    """
    if kind == "hdd":
        if rpm is not None and rpm >= _FAST_RPM:
            return "hdd-10k-15k"
        return next((name for end, name in _SIZES if raw_bytes <= end * _SLACK), "hdd-over-18tb")
    link, form = (interface or "").lower(), (form_factor or "").lower()
    if "nvme" in link or "pci" in link:
        return "ssd-u2" if any(word in form for word in _DATA_CENTRE) else "ssd-nvme"
    return "ssd-u2" if "sas" in link and "sata" not in link else "ssd-sata"


@dataclass(frozen=True)
class PurchaseInfo:
    """The drive as it is bought, unaffected by short-stroking or another speed in a scenario.

    ``capacity_bytes`` is that of the whole drive; ``usd`` the price of one, None where its file has none;
    ``based_on`` the drive that its file builds on, whose price and failures a book may know.
    """

    capacity_bytes: int
    price_class: str
    usd: float | None = None
    date: str | None = None
    source: str | None = None
    based_on: str | None = None

    @classmethod
    def of(cls, file: DeviceFile, capacity_bytes: int) -> PurchaseInfo:
        """What ``file`` says; the price's source is its ``[[source]]``, or the file where it has none."""
        name = price_class_of(file.kind, file.interface, file.form_factor, file.rpm, capacity_bytes)
        price, source = file.price, file.source_of("price.usd")
        if price.usd is None:
            return cls(capacity_bytes, name, based_on=file.based_on)
        text = f"[price] of the device file {file.name}" if source is None else source.text
        return cls(capacity_bytes, name, price.usd, price.date, text, file.based_on)

    def as_dict(self) -> dict[str, object]:
        """As a plan's names hold it: ``sold_bytes``, ``price_class``, and ``price`` where there is one."""
        price = {"usd": self.usd, "date": self.date, "source": self.source}
        return {
            "sold_bytes": self.capacity_bytes,
            "price_class": self.price_class,
            **({} if self.usd is None else {"price": price}),
        }
