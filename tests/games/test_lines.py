"""The lines of a replay, as they stand in files and go over the wire."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hexarena.games.catalogue import find_game
from hexarena.games.contract import GameError, Outcome
from hexarena.games.lines import (
    IO_MATCH_CHARACTERS,
    IO_TURN_CHARACTERS,
    Player,
    SeatLog,
    end_line,
    header_line,
    is_cut,
    turn_line,
    void_line,
)
from hexarena.games.referee import Exchange, Fault, Turn


def test_the_header_says_what_is_played_by_whom() -> None:
    players = [Player("Keystone", owner="house", language="python", version=3, rating=31.5), Player("mine.py")]
    line = header_line(find_game("yavalath"), {}, seed=2**63 - 1, league=1, players=players, match_id="12")
    assert json.loads(line) == {
        "v": 1,
        "game": "yavalath",
        "rules": "1",
        "match": "12",
        "seed": "9223372036854775807",
        "league": 1,
        "turns": 62,
        "ms": 100,
        "first_ms": 1000,
        "players": [
            {"bot": "Keystone", "owner": "house", "language": "python", "version": 3, "rating": 31.5},
            {"bot": "mine.py", "owner": "", "language": "", "version": None, "rating": None},
        ],
        "init": {},
    }


def test_the_header_says_how_many_seats_make_a_team_where_there_are_teams() -> None:
    yavalath = find_game("yavalath")
    teams = replace(yavalath, seats=(8,), team_seats=4)
    header = json.loads(header_line(teams, {}, seed=1, league=1, players=[Player("ada")] * 8))
    assert header["team_seats"] == 4
    assert "team_seats" not in json.loads(header_line(yavalath, {}, seed=1, league=1, players=[Player("ada")] * 2))


def test_every_line_is_one_line() -> None:
    texts = [
        turn_line(Turn(1, (), (Fault(0, 1, "invalid", "two\nlines\u2028"),), {"t": 1})),
        end_line(Outcome((0, 1), (1, 0), "a\nb")),
        void_line("c\nd"),
        SeatLog().line(1, Exchange(0, "1\n2\n", "x\ny")),
    ]
    assert [text.count("\n") for text in texts] == [1, 1, 1, 1]
    assert all(text.endswith("\n") for text in texts)


def test_a_turn_shows_its_frame_and_its_faults() -> None:
    turn = Turn(4, (), (Fault(1, 4, "timeout", "late"),), {"t": 4, "p": 1, "bad": "did not reply in time"})
    assert json.loads(turn_line(turn)) == {
        "t": 4,
        "p": 1,
        "bad": "did not reply in time",
        "faults": [[1, "timeout", "late"]],
    }
    assert json.loads(turn_line(Turn(4, (), (), {"t": 4}))) == {"t": 4}


def test_a_frame_that_json_cannot_hold_is_a_bug_of_the_game() -> None:
    frame: Any = {"t": 4, "picks": {1, 2}}
    with pytest.raises(GameError, match=r"what JSON can hold, in the game's header, frames and texts: .*set"):
        turn_line(Turn(4, (), (), frame))


def test_a_turn_says_what_each_seat_that_was_asked_used_of_its_cpu_time() -> None:
    asked = (Exchange(3, "", "x", cpu_s=0.0123456, wall_s=0.5), Exchange(1, "", None, cpu_s=0.1, wall_s=0.5))
    assert json.loads(turn_line(Turn(4, asked, (), {"t": 4}))) == {"t": 4, "cpu": [None, 100.0, None, 12.3]}
    assert json.loads(turn_line(Turn(4, (Exchange(0, "", "x"),), (), {"t": 4}))) == {"t": 4}, "nothing was measured"


def test_the_end_gives_scores_ranks_and_the_reason() -> None:
    outcome = Outcome((0, 1), (1, 0), "seat 0 made a line of 4")
    assert json.loads(end_line(outcome)) == {
        "end": True,
        "scores": [1, 0],
        "ranks": [0, 1],
        "reason": "seat 0 made a line of 4",
    }
    assert json.loads(void_line("the arena stopped")) == {"end": True, "void": "the arena stopped"}


def test_a_seats_log_holds_what_it_read_and_wrote() -> None:
    exchange = Exchange(0, "9\n", "4 4", stderr="thinking", cpu_s=0.01234567, wall_s=0.5)
    assert json.loads(SeatLog().line(2, exchange)) == {
        "t": 2,
        "i": "9\n",
        "o": "4 4",
        "e": "thinking",
        "cpu": 12.346,
        "ms": 500.0,
    }
    assert json.loads(SeatLog().line(2, Exchange(0, "", None)))["o"] is None


def test_a_seats_log_cuts_long_texts_and_says_so() -> None:
    line = json.loads(SeatLog().line(1, Exchange(0, "", "o" * (IO_TURN_CHARACTERS + 5))))
    assert line["o"] == "o" * IO_TURN_CHARACTERS + "… (5 characters cut)"


def test_a_long_stderr_keeps_its_end() -> None:
    stderr = "e" * IO_TURN_CHARACTERS + "KeyError"
    line = json.loads(SeatLog().line(1, Exchange(0, "", "", stderr=stderr)))
    assert line["e"].startswith("eee")
    assert line["e"].endswith("eKeyError")
    assert "… (8 characters cut) …" in line["e"]
    assert line["e"].replace("… (8 characters cut) …", "").count("e") == IO_TURN_CHARACTERS - len("KyError")


def test_a_seats_log_stops_at_its_limit_for_the_match() -> None:
    log = SeatLog()
    exchange = Exchange(0, "", "o" * IO_TURN_CHARACTERS, stderr="x")
    lines = [json.loads(log.line(number, exchange)) for number in range(1, 201)]
    assert sum(line["o"].count("o") for line in lines) == IO_MATCH_CHARACTERS
    assert lines[-1]["o"] == f"… ({IO_TURN_CHARACTERS} characters cut)"
    assert lines[-1]["e"] == "x"


def test_a_long_stderr_leaves_room_for_all_replies() -> None:
    log = SeatLog()
    exchange = Exchange(0, "", "WAIT", stderr="e" * 3_000)
    lines = [json.loads(log.line(number, exchange)) for number in range(1, 201)]
    assert {line["o"] for line in lines} == {"WAIT"}
    assert lines[-1]["e"] == "… (3000 characters cut)"


def test_a_text_says_whether_it_was_cut() -> None:
    line = json.loads(SeatLog().line(1, Exchange(0, "", "o" * (IO_TURN_CHARACTERS + 5))))
    assert is_cut(line["o"])
    assert not is_cut(f"{line['o']} WAIT")
    assert not is_cut("WAIT")


def test_long_prompts_leave_room_for_what_the_bot_wrote() -> None:
    log = SeatLog()
    exchange = Exchange(0, "i" * IO_TURN_CHARACTERS, "o", stderr="e")
    lines = [json.loads(log.line(number, exchange)) for number in range(1, 201)]
    assert sum(line["i"].count("i") for line in lines) == IO_MATCH_CHARACTERS
    assert lines[-1]["i"] == f"… ({IO_TURN_CHARACTERS} characters cut)"
    assert (lines[-1]["o"], lines[-1]["e"]) == ("o", "e")
