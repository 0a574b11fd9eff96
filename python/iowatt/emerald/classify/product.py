"""A product as its maker describes it: the attributes that the taxonomy asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.problems import Problem
from iowatt.base.quantity import Duration
from iowatt.base.strict import Strict, key

PRODUCT_SCHEMA: Final = "iowatt.product/1"

Category = Literal[
    "online", "near-online", "removable-media-library", "virtual-media-library", "adjunct", "interconnect"
]
Connectivity = Literal["none", "hosts", "network"]


def _attribute(description: str) -> bool | None:
    return key(description, default=None, unset="not stated: counts as no, and is named where it matters")  # type: ignore[no-any-return]


class Product(Strict):
    """A product. The maximum configuration decides its class, not the tested one."""

    schema_: Literal["iowatt.product/1"] = key(
        "The version of this format.",
        default=PRODUCT_SCHEMA,
        alias="schema",
        accepts=f'"{PRODUCT_SCHEMA}"',
        example=PRODUCT_SCHEMA,
    )
    vendor: str = key("Who makes it.", min_length=1, max_length=200, example="Example Systems")
    name: str = key("Its name.", min_length=1, max_length=200, example="Array 240")
    category: Category | None = key(
        "The category that its maker states; checked against the attributes.",
        default=None,
        unset="found from the attributes",
        example="online",
    )
    access: Literal["random", "sequential"] = key(
        "Access to its data. random: in any order; sequential: in order only, as on tape.", example="random"
    )
    time_to_first_data: Duration = key(
        "The longest time to the first byte, mount and spin-up included.", unit="s", gt=0, example="20ms"
    )
    user_data: bool = key("Whether it holds data that users can reach.", default=True, example=True)
    paradigms: list[Literal["block", "file"]] = key(
        "How hosts address it.", default=["block"], min_length=1, example=["block"]
    )
    connectivity: Connectivity = key(
        "none: a component, or inside a host; hosts: attached to one host or more; network: on a SAN or LAN.",
        default="none",
        example="network",
    )
    consumer: bool = key("Whether it is a consumer product or a component.", default=False, example=False)
    integrated_controller: bool | None = _attribute("Whether a storage controller is part of it.")
    controllers: int | None = key(
        "Most controllers; checked with other attributes.", default=None, unset="not stated", ge=0, example=2
    )
    storage_protection: bool | None = _attribute(
        "Whether data survive the failure of a storage device (RAID, mirroring, erasure coding)."
    )
    no_single_point_of_failure: bool | None = _attribute(
        "Whether access to data survives the failure of any one component."
    )
    non_disruptive_serviceability: bool | None = _attribute(
        "Whether all parts can be serviced while hosts go on."
    )
    fba_ckd: bool | None = _attribute("Whether it serves both fixed blocks and count-key-data (mainframes).")
    robotics: bool | None = _attribute("Whether a robot moves its media; of removable media libraries.")
    maximum_configuration: int = key(
        "Most storage devices that it takes; of a tape library, drives.", unit="devices", ge=1, example=240
    )
    tested_configuration: int | None = key(
        "Storage devices of the tested configuration.", default=None, unset="not stated", unit="devices", ge=1
    )
    notes: list[str] = key("Remarks for a reader; shown with the class.", default=[])

    @property
    def title(self) -> str:
        """Vendor and name."""
        return f"{self.vendor} {self.name}"


@dataclass(frozen=True)
class ProductFile:
    """A product and the places of its keys."""

    product: Product
    document: TomlDocument


def read(path: Path) -> ProductFile:
    """The product of a file.

    Raises ``InputError``: keys that are wrong, with lines. Contradictions are found by
    :func:`contradictions`.
    """
    document = TomlDocument(read_text(path), str(path))
    return ProductFile(document.validate(Product), document)


def contradictions(product: Product) -> Iterator[Problem]:
    """Attributes that contradict each other, whatever the rules, each by the key to look at first."""
    tested, most = product.tested_configuration, product.maximum_configuration
    controllers, integrated = product.controllers, product.integrated_controller
    no_single_point = product.no_single_point_of_failure
    checks: tuple[tuple[object, str, str], ...] = (
        (tested is not None and tested > most, "tested_configuration",
         f"{tested} devices were tested, and maximum_configuration is {most}"),
        (most == 1 and product.storage_protection, "storage_protection",
         "a product of one device does not survive the failure of that device"),
        (integrated and controllers == 0, "controllers",
         "the product has 0 controllers, and integrated_controller is true"),
        (integrated is False and controllers, "controllers",
         f"the product has {controllers} controllers, and integrated_controller is false"),
        (no_single_point and product.storage_protection is False, "no_single_point_of_failure",
         "without storage protection each storage device is a single point of failure"),
        (no_single_point and controllers == 1, "no_single_point_of_failure",
         "its only controller is a single point of failure"),
        (no_single_point and most == 1, "no_single_point_of_failure",
         "its only storage device is a single point of failure"),
        (product.non_disruptive_serviceability and controllers == 1, "non_disruptive_serviceability",
         "its only controller cannot be serviced while hosts keep working"),
        (product.fba_ckd and product.connectivity != "network", "fba_ckd",
         f'mainframes are attached by a network; connectivity is "{product.connectivity}"'),
        (product.fba_ckd and product.consumer, "fba_ckd",
         "a consumer product or component does not serve mainframes"),
        (no_single_point and product.connectivity == "none", "no_single_point_of_failure",
         "a component inside a host fails with that host"),
        (product.robotics and product.access == "random", "robotics",
         'a robot fetches sequential media; access is "random"'),
        (product.robotics and product.category not in (None, "removable-media-library"), "robotics",
         f"a robot belongs to a removable media library, not to {product.category}"),
    )  # fmt: skip
    return (Problem("conflict", (key,), text) for wrong, key, text in checks if wrong)
