"""A Modbus device of pymodbus on loopback: an implementation of the protocol that is not ours."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import needs

#: Registers of a device: type and value by number.
Values = Mapping[int, tuple[str, float]]
_TYPES = {"s16": "INT16", "u16": "UINT16", "s32": "INT32", "u32": "UINT32", "u64": "UINT64"}
_FLOATS = {"f32": "FLOAT32", "f64": "FLOAT64"}


@contextmanager
def pymodbus_device(unit: int, holding: Values, inputs: Values) -> Iterator[int]:
    """The device on a free port; gives the port."""
    needs.modules("pymodbus")
    from pymodbus.server import ModbusTcpServer
    from pymodbus.simulator import DataType, SimData, SimDevice

    def block(values: Values) -> list[SimData]:
        return [
            SimData(number, values=value, datatype=DataType[{**_TYPES, **_FLOATS}[kind]])
            for number, (kind, value) in values.items()
        ]

    bits = [SimData(0, datatype=DataType.BITS)]
    device = SimDevice(id=unit, simdata=(bits, bits, block(holding), block(inputs)))
    ports: list[int] = []
    up, done = threading.Event(), threading.Event()

    async def serve() -> None:
        server = ModbusTcpServer(device, address=("127.0.0.1", 0))
        await server.serve_forever(background=True)
        ports.append(server.transport.sockets[0].getsockname()[1])
        up.set()
        await asyncio.to_thread(done.wait)
        await server.shutdown()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert up.wait(20)
    try:
        yield ports[0]
    finally:
        done.set()
        thread.join(20)
