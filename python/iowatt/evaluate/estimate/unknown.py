"""What the estimator does not model, refused by name: no figure rather than a wrong one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.base.errors import InputError


class NotEstimated(InputError):
    """A scenario has something that the estimator does not model; the message names it."""


def not_modelled(what: str, where: str) -> NotEstimated:
    """The error for ``what``, at a key."""
    return NotEstimated("unsupported", where, f"the estimator does not model {what}", hint="simulate it")


#: Whether of the controller, the key in the plan, what it is, and its key in the scenario.
_PARTS_NOT_MODELLED = (
    (True, "losses", "the loss of a controller or of its battery", "array.controller.loss"),
    (True, "nodes", "controller nodes and their mesh", "array.controller.nodes"),
    (False, "paths", "paths between hosts and the array", "path"),
    (False, "qos", "turns at the door of the array", "array.qos"),
    (False, "replications", "copies on a remote array", "replication"),
)


def check_modelled(simulation: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    """Refuse a plan with what is not modelled.

    Raises ``NotEstimated``: which part, and at which key.
    """
    clusters = simulation.get("clusters") or []
    for at, cluster in enumerate(clusters):
        _of_cluster(cluster, f"cluster.{names['clusters'][at]['name']}")
    for at, pool in enumerate(simulation["pools"]):
        _of_pool(pool, f"{'cluster' if clusters else 'array'}.pool.{names['pools'][at]}")
    controller = simulation.get("controller") or {}
    for part, key, what, where in _PARTS_NOT_MODELLED:
        if (controller if part else simulation).get(key):
            raise not_modelled(what, where)
    for at, volume in enumerate(simulation["volumes"]):
        if volume.get("qos"):
            raise not_modelled("limits of volumes", f"array.volume.{names['volumes'][at]}.qos")
    for at, virtual in enumerate(simulation.get("virtual_pools", ())):
        if virtual["scheme"].get("reclaim"):
            where = f"array.virtual_pool.{names['virtual_pools'][at]['name']}.reclaim"
            raise not_modelled("the reclaim of pages", where)
    for load in simulation["workloads"]:
        if controller.get("zero_detect") and load.get("zero_share"):
            raise not_modelled("the detection of zeros", "array.controller.zero_detect")
        if load.get("start_s") or load.get("end_s") is not None:
            raise not_modelled("workloads that begin or end during the run", "workload.start")


def _of_cluster(cluster: Mapping[str, Any], where: str) -> None:
    if cluster["failures"]:
        raise not_modelled("failed nodes and recovery", f"{where}.failure")
    if any(node.get("joins_at_s") or node.get("leaves_at_s") for node in cluster["nodes"]):
        raise not_modelled("nodes that join or leave", f"{where}.node")


def _of_pool(pool: Mapping[str, Any], where: str) -> None:
    if pool["power_policy"]["policy"] != "never":
        raise not_modelled("power policies", f"{where}.power")
    if pool["batching"] is not None:
        raise not_modelled("batching of requests for idle drives", f"{where}.power")
    device, held = pool["device"], pool["command_queue"] or {}
    if device.get("actuators", 1) > 1:
        raise not_modelled("drives of two actuators", f"{where}.device")
    if device.get("shingled") is not None:
        raise not_modelled("drives that manage overlapping tracks", f"{where}.device")
    if pool.get("deadline_s") is not None:
        raise not_modelled("deadlines of queues", f"{where}.scheduler_deadline")
    if held.get("deadline_s") is not None:
        raise not_modelled("deadlines of queues", f"{where}.drive_deadline")
    drawn = device["power"]
    if None in (drawn["active_w"], drawn.get("positioning_w", 0.0), drawn["levels"]["idle_w"]):
        raise not_modelled("the power of a drive whose watts are not known", f"{where}.device")
    recovery = pool["recovery"]
    if recovery is not None and recovery["failures"]:
        raise not_modelled("failed drives and rebuilds", f"{where}.failure")
    if recovery is not None and recovery["sparing"] == "distributed" and "chunklets" not in pool:
        raise not_modelled("distributed spare space", f"{where}.sparing")
    if pool["raid"].get("parity_check_on_read"):
        raise not_modelled("parity checks on read", f"{where}.raid.parity_check_on_read")
    if pool["raid"].get("log"):
        raise not_modelled("the logging of parity updates", f"{where}.raid.small_write")
    if pool["raid"].get("mirror_reads"):
        raise not_modelled("the steering of mirror reads", f"{where}.raid.mirror_reads")
