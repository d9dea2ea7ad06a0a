"""Conway's Game of Life on a torus, a byte a cell: 1 is alive, 0 is dead, row after row.

All is done with numpy on whole boards: a generation of 500 x 500 cells is eight passes over 250 kB.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]


def generation(cells: bytes | bytearray, size: int) -> bytearray:
    """The next generation of a board of size x size cells."""
    board = np.frombuffer(cells, np.uint8).reshape(size, size)
    wide = _wrapped(board, 1)
    columns = wide[:-2] + wide[1:-1]
    columns += wide[2:]
    counts = columns[:, :-2] + columns[:, 1:-1]
    counts += columns[:, 2:]
    counts -= board
    # Two neighbours keep a live cell alive, three make any cell alive: 2 | 1 and 3 | anything are 3.
    counts |= board
    following = bytearray(size * size)
    np.equal(counts, 3, out=np.frombuffer(following, np.bool_).reshape(size, size))
    return following


def population(cells: bytes) -> int:
    """How many cells are alive."""
    return int(np.count_nonzero(np.frombuffer(cells, np.bool_)))


def packed(cells: bytes) -> bytes:
    """Eight cells a byte: cell i is bit i & 7 of byte i >> 3."""
    return np.packbits(np.frombuffer(cells, np.uint8), bitorder="little").tobytes()


def emptiest_windows(cells: bytes | bytearray, size: int, side: int) -> list[int]:
    """The middles of the windows of side x side cells with the fewest live cells, in ascending order. `side` is odd."""
    wide = _wrapped(np.frombuffer(cells, np.uint8).reshape(size, size), side // 2)
    sums = np.zeros((size + side, size + side), np.int32)
    np.cumsum(np.cumsum(wide, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    alive = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]
    return [int(cell) for cell in np.flatnonzero(alive == alive.min())]


def _wrapped(board: Bytes, margin: int) -> Bytes:
    """The board with a margin of cells from its opposite edges."""
    size = len(board)
    wide = np.empty((size + 2 * margin, size + 2 * margin), np.uint8)
    wide[margin:-margin, margin:-margin] = board
    wide[:margin, margin:-margin] = board[-margin:]
    wide[-margin:, margin:-margin] = board[:margin]
    wide[:, :margin] = wide[:, size : size + margin]
    wide[:, -margin:] = wide[:, margin : 2 * margin]
    return wide
