"""What cannot be true of one product at once, each by the key that should be looked at first."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.base.problems import Problem
from iowatt.emerald.classify.product import Product


def contradictions(product: Product) -> Iterator[Problem]:
    """All that is found, whatever the rules."""
    yield from _configuration(product)
    yield from _redundancy(product)
    yield from _attachment(product)
    yield from _robot(product)


def _configuration(product: Product) -> Iterator[Problem]:
    tested, most = product.tested_configuration, product.maximum_configuration
    if tested is not None and tested > most:
        yield Problem(
            "conflict",
            ("tested_configuration",),
            f"{tested} devices were tested, and maximum_configuration is {most}",
        )
    if most == 1 and product.storage_protection:
        yield Problem(
            "conflict",
            ("storage_protection",),
            "a product of one device does not survive the failure of that device",
        )


def _redundancy(product: Product) -> Iterator[Problem]:
    if product.integrated_controller and product.controllers == 0:
        yield Problem(
            "conflict", ("controllers",), "the product has 0 controllers, and integrated_controller is true"
        )
    if product.integrated_controller is False and product.controllers:
        yield Problem(
            "conflict",
            ("controllers",),
            f"the product has {product.controllers} controllers, and integrated_controller is false",
        )
    if product.no_single_point_of_failure:
        place = ("no_single_point_of_failure",)
        if product.storage_protection is False:
            yield Problem(
                "conflict",
                place,
                "without storage protection each storage device is a single point of failure",
            )
        if product.controllers == 1:
            yield Problem("conflict", place, "its only controller is a single point of failure")
        if product.maximum_configuration == 1:
            yield Problem("conflict", place, "its only storage device is a single point of failure")
    if product.non_disruptive_serviceability and product.controllers == 1:
        yield Problem(
            "conflict",
            ("non_disruptive_serviceability",),
            "its only controller cannot be serviced while hosts keep working",
        )


def _attachment(product: Product) -> Iterator[Problem]:
    if product.fba_ckd and product.connectivity != "network":
        yield Problem(
            "conflict",
            ("fba_ckd",),
            f'mainframes are attached by a network; connectivity is "{product.connectivity}"',
        )
    if product.fba_ckd and product.consumer:
        yield Problem("conflict", ("fba_ckd",), "a consumer product or component does not serve mainframes")
    if product.no_single_point_of_failure and product.connectivity == "none":
        yield Problem(
            "conflict", ("no_single_point_of_failure",), "a component inside a host fails with that host"
        )


def _robot(product: Product) -> Iterator[Problem]:
    if not product.robotics:
        return
    if product.access == "random":
        yield Problem("conflict", ("robotics",), 'a robot fetches sequential media; access is "random"')
    if product.category not in (None, "removable-media-library"):
        yield Problem(
            "conflict",
            ("robotics",),
            f"a robot belongs to a removable media library, not to {product.category}",
        )
