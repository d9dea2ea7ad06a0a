"""Passes bytes on between an address and a server, perhaps late, as over a slow line:

python -m tests.worker.forwarding DELAY_S 10.0.0.1:5432=/run/.s.PGSQL.5432 10.0.0.1:6379=10.0.0.9:6379 …
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

PIECE_BYTES = 65_536


async def serve(delay_s: float, pairs: list[str]) -> None:
    """Until it is killed."""
    for pair in pairs:
        here, _, there = pair.partition("=")
        await _listen(here, there, delay_s)
    print("ready", flush=True)
    await asyncio.Event().wait()


async def _listen(here: str, there: str, delay_s: float) -> None:
    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            beyond = await _connected(there)
            await asyncio.gather(_pass(reader, beyond[1], delay_s), _pass(beyond[0], writer, delay_s))

    host, _, port = here.rpartition(":")
    await asyncio.start_server(accepted, host, int(port))


async def _connected(there: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if there.startswith("/"):
        return await asyncio.open_unix_connection(there)
    host, _, port = there.rpartition(":")
    return await asyncio.open_connection(host, int(port))


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float) -> None:
    with suppress(OSError):
        while piece := await reader.read(PIECE_BYTES):
            await asyncio.sleep(delay_s)
            writer.write(piece)
            await writer.drain()
    with suppress(OSError):
        writer.close()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), sys.argv[2:]))
