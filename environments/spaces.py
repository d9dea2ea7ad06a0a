"""A game's actions and observations as Gymnasium's spaces, and their values as numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from hexarena.games.contract import Json
from hexarena.games.shapes import Grid, Shape, Whole

Observed: TypeAlias = Any
"""A value of the space of a shape: dictionaries of arrays, as a rule."""
Mask: TypeAlias = NDArray[np.int8]
"""[action] -> 1 where it is legal, else 0."""
_INTEGERS = (np.int8, np.int16, np.int32, np.int64)


def space_of(shape: Shape) -> spaces.Space[Any]:
    """Whole -> Discrete, Grid -> Box of the smallest signed integers that hold it, Fields -> Dict."""
    if isinstance(shape, Whole):
        return spaces.Discrete(shape.high - shape.low + 1, start=shape.low)
    if isinstance(shape, Grid):
        return spaces.Box(shape.low, shape.high, shape.size, dtype=_integers(shape))
    return spaces.Dict({name: space_of(part) for name, part in shape.parts.items()})


def as_observed(shape: Shape, value: Json) -> Observed:
    """A value of the shape as one of its space."""
    if isinstance(shape, Whole):
        return np.int64(value)
    if isinstance(shape, Grid):
        return np.array(value, dtype=_integers(shape))
    return {name: as_observed(part, value[name]) for name, part in shape.parts.items()}


def mask_space(actions: int) -> spaces.Space[Any]:
    """The space of masks."""
    return spaces.Box(0, 1, (actions,), dtype=np.int8)


def mask_of(legal: Sequence[int], actions: int) -> Mask:
    """1 for each legal action, of so many."""
    mask = np.zeros(actions, dtype=np.int8)
    mask[list(legal)] = 1
    return mask


def _integers(shape: Grid) -> type[np.signedinteger[Any]]:
    return next(kind for kind in _INTEGERS if np.iinfo(kind).min <= shape.low and shape.high <= np.iinfo(kind).max)
