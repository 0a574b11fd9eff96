"""``iowatt.cache``: caches alone, on a trace or a profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from iowatt.api._common import Changes, Page, PathLike

if TYPE_CHECKING:
    from iowatt.evaluate.caches import CacheComparison


def cache(
    trace: PathLike,
    *,
    policy: str | Iterable[str] = "lru",
    sizes: str | Iterable[str] | None = None,
    block: str | int | None = "4KiB",
    writes: str = "allocate",
    warm_up: str | int | None = None,
    percent_of: str = "footprint",
    requests: int | None = None,
    duration: str | None = None,
    span: str | None = None,
    rate: str | float | None = None,
    seed: int | None = None,
    set: Changes = (),  # noqa: A002 - the word of the command line
    reading: Mapping[str, Any] | None = None,
    output: PathLike | None = None,
    force: bool = False,
    progress: Callable[[float | None, int], None] | None = None,
) -> CacheComparison:
    """Simulate caches alone, without drives and without time: many policies and sizes in one pass.

    Parameters
    ----------
    trace:
        A trace file, or a profile: a library name or a ``.toml`` file.
    policy:
        Names of policies (docs/models/cache.md) with parameters, ``"lru,s3-fifo:small_share=0.2"``, or
        ``"all"``.
    sizes:
        ``"4GiB"``, or ``"1%"`` of the footprint, which takes a first pass over the trace; without blocks
        numbers of objects. Left out, nine sizes from 0.1% to 50%, as far as they hold a block.
    block:
        Of the caches; None: each request is one object, whatever its size.
    writes:
        ``"allocate"``: a write that misses enters. ``"around"``: it does not.
    warm_up:
        What is not counted at the beginning: a number of requests, or a time such as ``"1h"``.
    percent_of:
        ``"footprint"``, the blocks that are touched, or ``"span"``, the address space.
    requests, duration, span, rate, seed, set:
        Of a profile, as of ``iowatt trace generate``.
    reading:
        How a recorded trace is read, the options of `iowatt.trace.open.spec`.
    output:
        A page to write: .html, .pdf or .xlsx.

    Returns
    -------
    CacheComparison
        Its ``caches`` have ``policy``, ``parameters``, ``size`` as asked, ``size_bytes``, ``slots``,
        ``held``, ``evictions``, and as shares from 0 to 1 ``hit_ratio`` (of requests) and
        ``hit_bytes_ratio``, of reads and writes too (``read_``, ``write_``; None where there are none).
        ``frame()`` is a table of them.

    Raises
    ------
    iowatt.base.errors.InputError
        Whatever is wrong with the trace or what is asked for.
    """
    from iowatt.base.overrides import as_overrides
    from iowatt.evaluate.caches import compare_caches
    from iowatt.pages.caches import document

    page = Page(output, force=force)
    found = compare_caches(
        os.fspath(trace),
        policy=policy,
        size=sizes,
        block=block,
        writes=writes,
        warm_up=warm_up,
        percent_of=percent_of,
        requests=requests,
        duration=duration,
        span=span,
        rate=rate,
        seed=seed,
        overrides=as_overrides(set, None),
        reading=reading,
        progress=progress,
    )
    page.write(lambda: document(found))
    return found
