"""Whether an SSD that collects garbage in bursts was simulated long enough to show what it sustains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from iowatt.render import numbers

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

#: Times that the free superblocks are to be written before rates and amplification are those of many bursts.
CYCLES: Final = 5

#: Share of a drive's bytes that are written, from which its collection decides what it does.
WRITTEN: Final = 0.2


def few_bursts(run: Run) -> Iterator[str]:
    """A phrase for each pool of such SSDs under a closed load that ended before they reached a steady state.

    They start with free superblocks. Until hosts have written those a few times, a drive that is driven as
    fast as it goes shows what it does after a rest, or during one burst, and not what it sustains.
    """
    loads = (run.plan.get("simulation") or {}).get("workloads", ())
    if all(load["replay"]["mode"] != "closed" for load in loads):
        return
    pools = (run.plan.get("simulation") or {}).get("pools", ())
    medias = [pool["device"].get("media") or {} for pool in pools]
    names = list(dict.fromkeys(one["pool"] for one in (run.plan.get("names") or {}).get("devices", ())))
    for name, media in zip(names, medias, strict=False):
        if media.get("kind") != "flash" or (burst := media["gc"]["burst"]) is None:
            continue
        if media["initial"]["kind"] == "fresh":
            continue
        superblock = media["page_bytes"] * media["pages_per_block"] * media["planes"]
        superblock *= media["channels"] * media["dies_per_channel"]
        free = (media["gc"]["free_blocks"] + burst["blocks"]) * superblock
        written = [
            device["flash"]["host_bytes_written"]
            for device in run.summary["devices"]
            if device["name"].rpartition(".")[0] == name
            and device["flash"]["host_bytes_written"]
            > WRITTEN * (device["bytes_read"] + device["bytes_written"])
        ]
        most = max(written, default=0)
        if 0 < most < CYCLES * free:
            free_size, size = numbers.with_unit(free, "B"), numbers.with_unit(most, "B")
            yield (
                f"{name}: its SSDs collect garbage in bursts and start with {free_size} of free superblocks; "
                f"hosts wrote at most {size} to each. Rates, response times and write amplification are "
                f"those of rested drives; {numbers.with_unit(CYCLES * free, 'B')} written per drive would "
                "show sustained ones"
            )
