"""Conway's Game of Life on a torus, eight cells a byte: cell i is bit i & 7 of byte i >> 3, and 1 is alive.

A whole board is computed with as one integer: a generation of 500 x 500 cells is some forty operations on 31 kB.
Numbers of many cells at once are planes: integers of which the first has the ones of all cells, the second the twos,
the third the fours. A byte a cell would take longer to convert than to compute with.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, zip_longest
from typing import NamedTuple, TypeAlias

Board: TypeAlias = bytes | bytearray


def generation(board: Board, size: int) -> bytearray:
    """The next generation of a board of size x size cells."""
    cells, masks = int.from_bytes(board, "little"), _masks(size)
    # A row more at each end, so that the rows above and below are shifts of one integer.
    wide = (cells & masks.row) << (size * size + size) | cells << size | cells >> (size * size - size)
    first, last = wide & masks.first_columns, wide & masks.last_columns
    left = (wide ^ last) << 1 | last >> (size - 1)
    right = (wide ^ first) >> 1 | first << (size - 1)

    # How many of three cells in a row are alive.
    beside = left ^ right
    ones, twos = beside ^ wide, left & right | beside & wide
    # Three such rows, without their eights: no cell has eight neighbours and needs to be told from one that has none.
    ones_below, ones_above = ones >> size, ones >> (2 * size)
    twos_below, twos_above = twos >> size, twos >> (2 * size)
    some = ones ^ ones_below
    one, carried = some ^ ones_above, ones & ones_below | some & ones_above
    some, others = twos ^ twos_below, twos_above ^ carried
    two, four = some ^ others, twos & twos_below ^ twos_above & carried ^ some & others

    # The cell itself is counted. Three in all make any cell alive, four keep a live one alive.
    three = one & two
    three ^= three & four
    kept = cells & four
    kept ^= kept & (one | two)
    return bytearray(((three | kept) & masks.everything).to_bytes(len(board), "little"))


def population(board: Board) -> int:
    """How many cells are alive."""
    return int.from_bytes(board, "little").bit_count()


def is_alive(board: Board, cell: int) -> bool:
    """Whether a cell is."""
    return bool(board[cell >> 3] >> (cell & 7) & 1)


def revive(board: bytearray, cell: int) -> None:
    """Makes a cell alive, whatever it was."""
    board[cell >> 3] |= 1 << (cell & 7)


def kill(board: bytearray, cell: int) -> None:
    """Makes a cell dead, whatever it was."""
    board[cell >> 3] &= ~(1 << (cell & 7))


def packed(cells: Board) -> bytes:
    """The board of these cells, a byte each, 1 or 0."""
    return int(cells[::-1].translate(_DIGITS), 2).to_bytes(-(-len(cells) // 8), "little")


def fragment(board: Board, size: int, left: int, top: int, side: int) -> list[str]:
    """The rows of a square part of the board, wrapped at its edges: a digit a cell. `side`: up to twice the size."""
    rows = [y % size * size for y in range(top, top + side)]
    if 0 <= left <= size - side:
        return _texts(board, [row + left for row in rows], side)
    left %= size
    return [(3 * text)[left : left + side] for text in _texts(board, rows, size)]


def emptiest_windows(board: Board, size: int, side: int) -> list[int]:
    """The middles of the windows of side x side cells with the fewest live cells, in ascending order. `side` is odd."""
    width = size + side - 1
    wide = int("".join(fragment(board, size, -(side // 2), -(side // 2), width))[::-1], 2)
    alive = _summed(_summed([wide], side, 1), side, width)
    row = (1 << size) - 1
    fewest = row * (((1 << size * width) - 1) // ((1 << width) - 1))
    for plane in reversed(alive):
        fewest = fewest ^ (fewest & plane) or fewest
    flags = f"{fewest:0{size * width}b}"[::-1].encode().translate(_VALUES)
    return [
        cell
        for y in range(size)
        for cell in compress(range(y * size, (y + 1) * size), flags[y * width : y * width + size])
    ]


_DIGITS = bytes.maketrans(b"\0\1", b"01")
_VALUES = bytes.maketrans(b"01", b"\0\1")


class _Masks(NamedTuple):
    """Sets of cells of a board: all of them, its first row; of one with two rows more its first and last columns."""

    everything: int
    row: int
    first_columns: int
    last_columns: int


@lru_cache(maxsize=8)
def _masks(size: int) -> _Masks:
    row = (1 << size) - 1
    first_columns = ((1 << size * (size + 2)) - 1) // row
    return _Masks((1 << size * size) - 1, row, first_columns, first_columns << (size - 1))


def _texts(board: Board, starts: Sequence[int], length: int) -> list[str]:
    """The cells from each of these on, `length` of them, a digit each."""
    span = (length + 14) // 8
    padded = board + bytes(span)
    parts = b"".join([padded[start >> 3 : (start >> 3) + span] for start in starts])
    digits = f"{int.from_bytes(parts, 'little'):0{8 * len(parts)}b}"[::-1]
    begins = [8 * span * number + (start & 7) for number, start in enumerate(starts)]
    return [digits[begin : begin + length] for begin in begins]


def _summed(planes: Sequence[int], count: int, step: int) -> Sequence[int]:
    """For each cell the sum of its number and of those `step` cells on, 2 * step cells on and so on: `count` in all."""
    total: Sequence[int] = ()
    done, doubled = 0, 1
    while True:
        if count & doubled:
            total = _plus(total, [plane >> (done * step) for plane in planes])
            done += doubled
        if done == count:
            return total
        planes = _plus(planes, [plane >> (doubled * step) for plane in planes])
        doubled *= 2


def _plus(first: Sequence[int], second: Sequence[int]) -> Sequence[int]:
    planes, carried = [], 0
    for one, other in zip_longest(first, second, fillvalue=0):
        either = one ^ other
        planes.append(either ^ carried)
        carried = one & other | either & carried
    return [*planes, carried] if carried else planes
