"""The verifier: recordings of the references are reproduced exactly, and a tampered one never passes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from hexarena.games.verify import Tally, game_of, report, verify_games

GOLDEN = sorted(path for path in (Path(__file__).parent / "golden").glob("*.jsonl.gz") if "_rng_" not in path.name)
FULL_GAMES = [path for path in GOLDEN if "_maps_" not in path.name and "_crash" not in path.name]
LONG = {"tryangle_maps_dev.jsonl.gz"}
"""Takes as long as all others together; maps are also in the recordings of whole games."""
Recording = dict[str, Any]


def lines_of(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from lines


def differences(recording: object, file_name: str = "") -> list[str]:
    (verified,) = verify_games([json.dumps(recording)], find_game, file_name=file_name, maps=False)
    return [str(difference) for difference in verified.differences]


@pytest.fixture(scope="module", params=FULL_GAMES, ids=lambda path: path.name)
def file(request: pytest.FixtureRequest) -> Path:
    path = request.param
    assert isinstance(path, Path)
    return path


@pytest.fixture
def recording(file: Path) -> Recording:
    """The first game of a file that lasts long enough to be tampered with."""
    games: Iterator[Recording] = map(json.loads, lines_of(file))
    return next(game for game in games if len(game["turns"]) > 3)


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.name, marks=[pytest.mark.long] if path.name in LONG else []) for path in GOLDEN],
)
def test_recordings_of_the_reference_are_reproduced(path: Path) -> None:
    tally = Tally()
    assert list(report(path.name, lines_of(path), find_game, tally, maps="_maps_" in path.name)) == []
    assert tally.games == tally.identical > 0


def change_an_input_line(recording: Recording) -> None:
    asked = recording["turns"][2]["in"]
    next(lines for lines in asked if lines)[-1] += "7"


def change_an_opening_line(recording: Recording) -> None:
    recording["init"][0][0] += "7"


def change_a_score(recording: Recording) -> None:
    recording["turns"][1]["scores"][0] += 1


def change_a_reply(recording: Recording) -> None:
    turn = recording["turns"][1]
    seat = next(seat for seat, lines in enumerate(turn["in"]) if lines is not None)
    turn["out"][seat] = "tampered"


def lose_a_reply(recording: Recording) -> None:
    recording["turns"][0]["out"][0] = None


def change_who_is_asked(recording: Recording) -> None:
    recording["turns"][1]["in"] = [None, None]


def change_the_winner(recording: Recording) -> None:
    recording["winner"] = 0 if recording["winner"] == 1 else 1


def change_a_final_score(recording: Recording) -> None:
    recording["final_scores"][1] += 1


def drop_the_last_turn(recording: Recording) -> None:
    recording["turns"].pop()


def add_a_turn(recording: Recording) -> None:
    recording["turns"].append(recording["turns"][-1])


@pytest.mark.parametrize(
    "tamper",
    [
        change_an_input_line,
        change_an_opening_line,
        change_a_score,
        change_a_reply,
        lose_a_reply,
        change_who_is_asked,
        change_the_winner,
        change_a_final_score,
        drop_the_last_turn,
        add_a_turn,
    ],
)
def test_a_tampered_recording_is_different(
    tamper: Callable[[Recording], None], recording: Recording, file: Path
) -> None:
    assert differences(recording, file.name) == []
    tamper(recording)
    assert differences(recording, file.name) != []


def yavalath_game() -> Recording:
    """The shortest one: the first seat names a cell outside the board."""
    rows = ["00000", "000000", "0000000", "00000000", "000000000", "00000000", "0000000", "000000", "00000"]
    return {
        "game": "yavalath",
        "seed": 1,
        "league": 1,
        "init": [["1"], None],
        "turns": [{"in": [["9", *rows, "-1 -1"], None], "out": ["0 9", None], "scores": [-1, 0]}],
        "final_scores": [-1, 0],
        "winner": 1,
        "end": "p0 out of bounds",
        "errors": ["0 Player $0 played an illegal action (out of bounds move).", "0 Action was: 0 9"],
    }


def test_a_difference_says_where_what_was_expected_and_what_was_got() -> None:
    recording = yavalath_game()
    recording["turns"][0]["in"][0][4] = "10000000"
    recording["end"] = "p0 timeout"
    assert differences(recording) == [
        'turn 0, seat 0, input[5]: expected "10000000", got "00000000"',
        'turn 0, end: expected "p0 timeout", got "p0 out of bounds"',
    ]


@pytest.mark.parametrize("reply", [None, "0 9" + " " * 9_997, "0 9" + "\u00e9" * 4_999])
def test_no_reply_and_one_that_is_too_long_are_both_late(reply: str | None) -> None:
    recording = yavalath_game()
    recording["turns"][0]["out"][0] = reply
    recording |= {"end": "p0 timeout", "errors": ["0 $0 did not output in time!"]}
    assert differences(recording) == []


def test_the_longest_reply_that_counts_is_read() -> None:
    recording = yavalath_game()
    recording["turns"][0]["out"][0] = "0 9" + " " * 9_996
    assert differences(recording) == []


def test_a_recording_of_a_reference_that_broke_down_may_stop_early() -> None:
    recording = yavalath_game() | {"final_scores": None, "turns": [], "errors": []}
    assert differences(recording) == []


def test_a_broken_line_is_a_difference_and_the_next_one_is_verified() -> None:
    lines = ["[1", "\n", "17", '{"game": "chess"}', '{"game": "yavalath"}', json.dumps(yavalath_game())]
    verified = list(verify_games(lines, find_game, file_name="", maps=False))
    assert [one.line for one in verified] == [1, 3, 4, 5, 6]
    reported = [difference.key for one in verified for difference in one.differences]
    assert reported == ["exception"] * 4


def test_an_exception_of_our_own_keeps_what_was_found_before() -> None:
    recording = yavalath_game()
    recording["turns"][0]["in"][0][1] = "1"
    del recording["errors"]
    first, second = differences(recording)
    assert first.startswith("turn 0, seat 0, input[2]")
    assert second.startswith("exception: expected null, got \"KeyError: 'errors' (trace.py:")


def test_the_report_counts_games_over_all_files() -> None:
    tally = Tally()
    bad = yavalath_game() | {"winner": 0}
    lines = [json.dumps(yavalath_game()), json.dumps(bad)]
    assert list(report("a.jsonl", lines, find_game, tally, maps=False)) == [
        "a.jsonl:2: turn 0, winner: expected 0, got 1"
    ]
    assert list(report("b.jsonl", lines[:1], find_game, tally, maps=False)) == []
    assert str(tally) == "3 games, 2 identical"


def test_the_game_is_named_by_the_recording_or_else_by_its_file() -> None:
    assert game_of({"game": "ants"}, "yavalath_dev.jsonl.gz") == "ants"
    assert game_of({}, "golden/tryangle_custom_dev.jsonl.gz") == "tryangle"
    assert game_of({}, "yavalath.jsonl") == "yavalath"


def test_a_game_without_a_reference_cannot_be_verified() -> None:
    def untraced(game_id: str) -> Game:
        return replace(find_game(game_id), trace=None)

    (verified,) = verify_games([json.dumps(yavalath_game())], untraced, file_name="", maps=False)
    assert "expected a game with a reference implementation" in str(verified.differences[0])
