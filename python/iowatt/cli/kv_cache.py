"""`iowatt trace kv-cache`: the block trace of storage that keys and values of models are offloaded to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli import completion
from iowatt.cli.options import AsJson, Force, Notes, output, parsed
from iowatt.cli.show import show
from iowatt.cli.trace_options import TIME_UNIT, one_of

if TYPE_CHECKING:
    from iowatt.trace.kv_cache import KvCacheRequest


def register(trace: typer.Typer) -> None:
    """Add the sub-verb to ``iowatt trace``."""
    trace.command("kv-cache")(kv_cache)


def kv_cache(
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG",
            help="Requests of language-model serving in JSON Lines (Mooncake, Dynamo, Qwen-Bailian): "
            "timestamp, input_length, output_length, hash_ids.",
            show_default=False,
        ),
    ],
    *,
    memory: Annotated[
        str,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="Memory for keys and values above storage, GPU plus host: 200GiB.",
            show_default=False,
        ),
    ],
    llm: Annotated[
        str | None,
        typer.Option(
            "--llm",
            metavar="NAME",
            help="Library language model, for the bytes per token: llama-3.1-8b, deepseek-v3, ...",
            show_default="none",
            autocompletion=completion.language_models,
        ),
    ] = None,
    bytes_per_token: Annotated[
        str | None,
        typer.Option(
            "--bytes-per-token", metavar="SIZE", help="Bytes per token, for any other model: 128KiB."
        ),
    ] = None,
    element: Annotated[
        str,
        typer.Option(
            "--element", metavar="TYPE", help="Data type of keys and values: bf16, fp16, fp8, int8..."
        ),
    ] = "bf16",
    storage: Annotated[
        str | None,
        typer.Option(
            "--storage", metavar="SIZE", help="Capacity of the storage tier.", show_default="without limit"
        ),
    ] = None,
    block_tokens: Annotated[
        int,
        typer.Option(
            "--block-tokens", min=1, max=1 << 20, metavar="N", help="Tokens per hashed block in the log."
        ),
    ] = 512,
    write_when: Annotated[
        str,
        typer.Option(
            "--write-when",
            metavar="spill|compute",
            help="Write a block when memory evicts it, or as soon as it is computed.",
        ),
    ] = "spill",
    prefill_rate: Annotated[
        float | None,
        typer.Option(
            "--prefill-rate",
            min=1e-3,
            metavar="TOKENS/S",
            help="Prefill speed, in tokens per second; blocks are written as they are computed.",
            show_default="all at once",
        ),
    ] = None,
    request_size: Annotated[
        str, typer.Option("--request-size", metavar="SIZE", help="Largest request to storage.")
    ] = "1MiB",
    time_unit: Annotated[str, TIME_UNIT] = "ms",
    output: Annotated[
        Path | None, output("FILE", "The trace to write; its extension sets the format.", "LOG.parquet")
    ] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Derive the block trace of a KV cache's storage tier from an LLM serving log."""
    from iowatt.base.units import DURATION_UNITS
    from iowatt.pages.kv_cache import document
    from iowatt.trace.kv_cache import convert_log

    one_of("write_when", write_when, ("spill", "compute"))
    one_of("time_unit", time_unit, ("s", "ms", "us", "ns"))
    request = _request(
        log, memory, storage, request_size, llm=llm, bytes_per_token=bytes_per_token, element=element,
        block_tokens=block_tokens, write=write_when, prefill_per_s=prefill_rate,
        unit_s=float(DURATION_UNITS[time_unit]),
    )  # fmt: skip
    target = output or Path(f"{log.name.removesuffix('.gz').removesuffix('.jsonl')}.parquet")
    show(convert_log(request, target, force=force), document, notes=notes, as_json=as_json)


def _request(
    log: Path, memory: str, storage: str | None, request_size: str, *,
    llm: str | None, bytes_per_token: str | None, element: str, **given: Any,
) -> KvCacheRequest:  # fmt: skip
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_block_size, parse_capacity
    from iowatt.trace.kv_cache import KvCacheRequest, element_types, shape_of

    one_of("element", element, element_types())
    if (llm is None) == (bytes_per_token is None):
        message = "give the language model, or the bytes of a token: one of the two"
        code = "missing" if llm is None else "conflict"
        raise InputError(
            code, Argument("llm"), message, hint="`llm=llama-3.1-8b`, or `bytes_per_token=128KiB`"
        )
    if llm is not None:
        shape = shape_of(llm)
        size = shape.bytes_per_token(element)
        how, source = f"{shape.layers} layers x {shape.elements} elements of {element}", shape.source
    else:
        size = parsed(bytes_per_token, parse_block_size, "bytes_per_token")
        how = source = "as given"
    most = parsed(request_size, parse_block_size, "request_size")
    if most % 512 or most > 1 << 30:
        raise InputError(
            "not-accepted", Argument("request_size"), "expected whole sectors of 512 bytes, 1 GiB at most"
        )
    return KvCacheRequest(
        path=log, bytes_per_token=size, shape=how, shape_source=source, model=llm,
        memory_bytes=parsed(memory, parse_capacity, "memory"),
        storage_bytes=parsed(storage, parse_capacity, "storage"), io_bytes=most, **given,
    )  # fmt: skip
