"""What a game's observations are made of: whole numbers, grids of them, and fields with names.

A shape says it once; a JSON schema follows from it, the check of a value, and the space of an environment
(`environments/spaces.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer from `low` to `high`, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Integers from `low` to `high` in nested lists. `size`: outer lists first, e.g. (rows, columns)."""

    size: tuple[int, ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with exactly these keys."""

    parts: Mapping[str, Shape]


Shape: TypeAlias = Whole | Grid | Fields


def json_schema(shape: Shape) -> Mapping[str, Any]:
    """The JSON schema (2020-12) of the shape's values.

    >>> json_schema(Grid((3,), 0, 1))["items"]
    {'type': 'integer', 'minimum': 0, 'maximum': 1}
    """
    return {"$schema": DIALECT, **_schema(shape)}


def _schema(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Whole):
        return {"type": "integer", "minimum": shape.low, "maximum": shape.high}
    if isinstance(shape, Grid):
        schema = _schema(Whole(shape.low, shape.high))
        for length in reversed(shape.size):
            schema = {"type": "array", "minItems": length, "maxItems": length, "items": schema}
        return schema
    return {
        "type": "object",
        "properties": {name: _schema(part) for name, part in shape.parts.items()},
        "required": list(shape.parts),
        "additionalProperties": False,
    }


def misfits(shape: Shape, value: object, where: str = "the observation") -> Iterator[str]:
    """A sentence for each part of a value that is not as the shape says; true and 1.0 are no integers here.

    >>> list(misfits(Fields({"turn": Whole(0, 9)}), {"turn": 10}))
    ['expected the observation.turn to be an integer from 0 to 9; got 10']
    """
    if isinstance(shape, Whole):
        if type(value) is not int or not shape.low <= value <= shape.high:
            yield f"expected {where} to be an integer from {shape.low} to {shape.high}; got {value!r}"
    elif isinstance(shape, Grid):
        if not isinstance(value, list | tuple) or len(value) != shape.size[0]:
            yield f"expected {where} to be a list of {shape.size[0]}; got {_brief(value)}"
            return
        inner = Grid(shape.size[1:], shape.low, shape.high) if shape.size[1:] else Whole(shape.low, shape.high)
        for index, item in enumerate(value):
            yield from misfits(inner, item, f"{where}[{index}]")
    elif not isinstance(value, Mapping) or value.keys() != shape.parts.keys():
        yield f"expected {where} to have the keys {', '.join(shape.parts)}; got {_brief(value)}"
    else:
        for name, part in shape.parts.items():
            yield from misfits(part, value[name], f"{where}.{name}")


def _brief(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(map(str, value)) or "none"
    return f"{len(value)} items" if isinstance(value, list | tuple) else repr(value)[:80]
