"""Shapes of observations: their JSON schema, and the check of a value, say the same."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from hexarena.games.shapes import Fields, Grid, Shape, Whole, json_schema, misfits

SHAPE = Fields({"board": Grid((2, 3), 0, 2), "turn": Whole(-1, 9)})
SOUND = {"board": [[0, 1, 2], [2, 1, 0]], "turn": -1}


def test_a_schema_says_all_that_the_shape_says() -> None:
    row = {"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "integer", "minimum": 0, "maximum": 2}}
    assert json_schema(SHAPE) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "board": {"type": "array", "minItems": 2, "maxItems": 2, "items": row},
            "turn": {"type": "integer", "minimum": -1, "maximum": 9},
        },
        "required": ["board", "turn"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({**SOUND, "turn": 10}, "expected the observation.turn to be an integer from -1 to 9; got 10"),
        ({**SOUND, "turn": -2}, "expected the observation.turn to be an integer from -1 to 9; got -2"),
        ({**SOUND, "turn": True}, "expected the observation.turn to be an integer from -1 to 9; got True"),
        ({**SOUND, "turn": 1.0}, "expected the observation.turn to be an integer from -1 to 9; got 1.0"),
        ({**SOUND, "turn": None}, "expected the observation.turn to be an integer from -1 to 9; got None"),
        ({"turn": 1}, "expected the observation to have the keys board, turn; got turn"),
        ({**SOUND, "more": 1}, "expected the observation to have the keys board, turn; got board, turn, more"),
        ([], "expected the observation to have the keys board, turn; got 0 items"),
        ({**SOUND, "board": [[0, 1, 2]]}, "expected the observation.board to be a list of 2; got 1 items"),
        ({**SOUND, "board": [[0, 1, 2], [0, 1]]}, "expected the observation.board[1] to be a list of 3; got 2 items"),
        ({**SOUND, "board": [[0, 1, 2], 7]}, "expected the observation.board[1] to be a list of 3; got 7"),
        (
            {**SOUND, "board": [[0, 1, 2], [0, 3, 0]]},
            "expected the observation.board[1][1] to be an integer from 0 to 2; got 3",
        ),
    ],
)
def test_what_does_not_fit_is_reported_with_its_place(value: object, says: str) -> None:
    assert list(misfits(SHAPE, value)) == [says]


def test_tuples_are_lists_and_what_fits_is_not_reported() -> None:
    assert list(misfits(SHAPE, SOUND)) == []
    assert list(misfits(SHAPE, {"board": ((0, 1, 2), (2, 1, 0)), "turn": 9})) == []


shapes = st.recursive(
    st.builds(lambda low, more: Whole(low, low + more), st.integers(-3, 3), st.integers(0, 3))
    | st.builds(
        lambda size, low, more: Grid(tuple(size), low, low + more),
        st.lists(st.integers(1, 2), min_size=1, max_size=3),
        st.integers(-3, 3),
        st.integers(0, 3),
    ),
    lambda parts: st.builds(Fields, st.dictionaries(st.sampled_from("ab"), parts, max_size=2)),
    max_leaves=4,
)
values = st.recursive(
    st.integers(-5, 8) | st.booleans() | st.none() | st.text(max_size=1),
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(st.sampled_from("abc"), parts, max_size=2),
    max_leaves=6,
)


def sound(shape: Shape, number: int) -> object:
    """A value of the shape."""
    if isinstance(shape, Whole):
        return shape.low + number % (shape.high - shape.low + 1)
    if isinstance(shape, Grid):
        inner = Grid(shape.size[1:], shape.low, shape.high) if shape.size[1:] else Whole(shape.low, shape.high)
        return [sound(inner, number + index) for index in range(shape.size[0])]
    return {name: sound(part, number) for name, part in shape.parts.items()}


@given(shapes, st.integers(0, 9), values)
def test_the_schema_accepts_what_fits_and_nothing_else(shape: Shape, number: int, value: object) -> None:
    validator = Draft202012Validator(json_schema(shape))
    assert list(misfits(shape, sound(shape, number))) == []
    assert validator.is_valid(sound(shape, number))
    assert validator.is_valid(value) == (not list(misfits(shape, value)))
