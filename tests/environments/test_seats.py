"""`hexarena.env`: all seats of a game. PettingZoo's own tests pass, and a match is the one that the referee plays."""

from __future__ import annotations

import copy
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec

import hexarena
from hexarena.environments.alternating import AlternatingEnv
from hexarena.environments.setting import Refused
from hexarena.environments.simultaneous import SimultaneousEnv
from hexarena.environments.table import NotStarted
from hexarena.games.catalogue import UnknownGame, find_game
from hexarena.games.contract import BotFault, Game, Seat
from tests.environments.countdown import GAME as COUNTDOWN, Countdown, State
from tests.environments.drivers import choice, played, refereed

GAMES = {"yavalath": (2,), "tron": (2, 3, 4)}
BOTH = [(game, seats) for game, counts in GAMES.items() for seats in counts]
SETTINGS = [*BOTH, (COUNTDOWN, 2), (COUNTDOWN, 3), (COUNTDOWN, 4)]
every_setting = pytest.mark.parametrize(("game", "seats"), SETTINGS, ids=lambda one: getattr(one, "id", str(one)))
SAID_OF_DICTIONARIES = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action mask numpy array is all zeros",
)
"""PettingZoo's tests say these of every environment whose name they do not know, and of masks after the end."""


@contextmanager
def only_known_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in SAID_OF_DICTIONARIES:
            warnings.filterwarnings("ignore", message)
        yield


def game_of(env: AlternatingEnv | SimultaneousEnv) -> Game:
    return find_game(str(env.metadata["name"]).split("_v", maxsplit=1)[0])


# --- The form --------------------------------------------------------------------------------------------------------


def test_a_game_of_alternating_turns_is_an_aec_environment_and_one_of_simultaneous_turns_a_parallel_one() -> None:
    assert isinstance(hexarena.env("yavalath"), AECEnv)
    assert isinstance(hexarena.env("tron"), ParallelEnv)
    assert isinstance(hexarena.env(COUNTDOWN), AECEnv)


@pytest.mark.parametrize(
    "make", [lambda: hexarena.env("yavalath"), *(lambda n=n: hexarena.env(COUNTDOWN, seats=n) for n in (2, 3, 4))]
)
def test_pettingzoo_accepts_the_aec_environment(make) -> None:
    with only_known_warnings():
        api_test(make(), num_cycles=200)
        seed_test(make, num_cycles=200)


@pytest.mark.parametrize("seats", GAMES["tron"])
def test_pettingzoo_accepts_the_parallel_environment(seats: int) -> None:
    with only_known_warnings():
        parallel_api_test(hexarena.env("tron", seats=seats), num_cycles=400)
        parallel_seed_test(lambda: hexarena.env("tron", seats=seats), num_cycles=400)


@pytest.mark.parametrize("seats", GAMES["tron"])
def test_pettingzoo_turns_the_parallel_environment_into_an_aec_one(seats: int) -> None:
    with only_known_warnings():
        api_test(parallel_to_aec(hexarena.env("tron", seats=seats)), num_cycles=200)
        seed_test(lambda: parallel_to_aec(hexarena.env("tron", seats=seats)), num_cycles=200)


def test_what_is_left_out_is_as_on_the_ladder() -> None:
    assert (hexarena.env(COUNTDOWN)._table._now.level, len(hexarena.env(COUNTDOWN).possible_agents)) == (2, 3)
    assert hexarena.env("tron").possible_agents == ["seat_0", "seat_1", "seat_2", "seat_3"]
    assert hexarena.env("yavalath").possible_agents == ["seat_0", "seat_1"]


# --- The same matches ------------------------------------------------------------------------------------------------


@every_setting
@pytest.mark.parametrize("illegal", [0.0, 0.1])
def test_a_match_is_that_of_the_referee_with_the_same_replies(game: str | Game, seats: int, illegal: float) -> None:
    env = hexarena.env(game, seats=seats)
    whole = find_game(game) if isinstance(game, str) else game
    for seed in range(1, 26):
        rewards = played(env, seed, illegal=illegal)
        assert env.record is not None
        assert env.record == refereed(whole, env.record)
        assert (env.record.seed, len(rewards)) == (seed, seats)
        best = [agent for agent, reward in rewards.items() if reward == max(rewards.values())]
        assert best == [f"seat_{seat}" for seat, rank in enumerate(env.record.outcome.ranks) if rank == 0]
        assert sum(rewards.values()) == pytest.approx(0)


def test_illegal_actions_are_faults_as_the_rules_say() -> None:
    env = hexarena.env("yavalath")
    env.reset()
    for cell in (0, 1, 0):
        env.step(cell)
    assert env.terminations == {"seat_0": True, "seat_1": True}
    assert env.rewards == {"seat_0": -1.0, "seat_1": 1.0}
    assert env.infos["seat_0"]["fault"].startswith("expected an empty cell, got '0 0'")
    assert env.infos["seat_1"] == {}
    assert env.record is not None
    assert [fault.kind for fault in env.record.faults] == ["illegal"]


class Forgiving(Countdown):
    """A reply that is no move takes 1."""

    def step(self, state: State, moves: Mapping[Seat, int], faults: Mapping[Seat, BotFault]) -> State:
        return super().step(state, {**moves, **dict.fromkeys(faults, 1)}, {})


def test_a_fault_is_shown_until_the_seat_acts_again() -> None:
    forgiving = Forgiving()
    env = hexarena.env(replace(COUNTDOWN, rules=forgiving, protocol=forgiving, machine=forgiving), seats=2, level=1)
    env.reset(seed=2)  # the counts are 5 and 6
    for action in (2, 0, 2, 0):
        env.step(action)
    assert env.agent_selection == "seat_0"
    assert env.last()[4] == {"fault": "expected at most 2, got 3"}
    env.step(0)
    assert env.infos["seat_0"] == {}


@every_setting
def test_observations_fit_the_json_schema_and_the_space(game: str | Game, seats: int) -> None:
    env = hexarena.env(game, seats=seats)
    validator = Draft202012Validator(env.observation_schema)
    Draft202012Validator.check_schema(dict(env.observation_schema))

    def look() -> None:
        for agent in env.possible_agents:
            seen = table.seen(table.seat(agent))
            assert seen in env.observation_space(agent)
            value = table.match.observation(table.seat(agent))
            validator.validate(json.loads(json.dumps(value)))
            for name, part in value.items():
                assert np.array_equal(seen["observation"][name], part)

    table = env._table
    for seed in range(3):
        played(env, seed)
        look()
        env.reset(seed=seed)
        look()


# --- Who leaves ------------------------------------------------------------------------------------------------------


def test_whoever_crashes_in_tron_leaves_with_the_reward_of_its_place() -> None:
    """Seed 1: all ride on, but seat 2, which turns back into its own trail."""
    env = hexarena.env("tron", seats=4)
    assert isinstance(env, SimultaneousEnv)
    left, right = env.action_names.index("LEFT"), env.action_names.index("RIGHT")
    env.reset(seed=1)
    start = env._table.match.observation(0)["heads"]
    ahead = {agent: right if start[seat][0] < 15 else left for seat, agent in enumerate(env.agents)}
    env.step(ahead)
    _, rewards, terminations, truncations, _ = env.step({**ahead, "seat_2": left + right - ahead["seat_2"]})
    assert rewards == {"seat_0": 0.0, "seat_1": 0.0, "seat_2": -1.0, "seat_3": 0.0}
    assert [agent for agent, over in terminations.items() if over] == ["seat_2"]
    assert not any(truncations.values())
    assert env.agents == ["seat_0", "seat_1", "seat_3"]
    seen, *_ = env.step({agent: ahead[agent] for agent in env.agents})
    assert set(seen) == set(env.agents)


def test_an_alternating_environment_goes_on_without_those_who_left() -> None:
    env = hexarena.env(COUNTDOWN, seats=3, level=1)
    assert isinstance(env, AlternatingEnv)
    env.reset(seed=2)  # the counts are 5, 6, 5
    order = []
    for action in (2, 2, 2, 1, 2):
        order.append(env.agent_selection)
        env.step(action)
        if env.terminations[env.agent_selection]:
            order.append(f"{env.agent_selection} leaves with {env.last()[1]:g}")
            env.step(None)
    assert order == ["seat_0", "seat_1", "seat_2", "seat_0", "seat_0 leaves with -1", "seat_1", "seat_1 leaves with 0"]
    assert env.agents == ["seat_2"]
    assert (env.agent_selection, env.last()[1:3]) == ("seat_2", (1.0, True))


def test_the_seats_of_a_common_turn_act_one_after_the_other_and_see_the_same_state() -> None:
    env = hexarena.env(COUNTDOWN, seats=2, level=2, game_options={"start": 9})
    assert isinstance(env, AlternatingEnv)
    env.reset(seed=2)
    for _ in range(3):
        env.step(0)
    before = env.observe("seat_1")
    assert env.agent_selection == "seat_0"
    env.step(2)
    assert env.agent_selection == "seat_1"
    assert np.array_equal(before["observation"]["counts"], env.observe("seat_1")["observation"]["counts"])
    env.step(1)
    assert env._table.match.observation(0) == {"counts": [4, 7], "own": 4}


def test_a_turn_with_a_wrong_action_is_not_played_and_may_be_repeated() -> None:
    env = hexarena.env(COUNTDOWN, seats=2, level=2)
    assert isinstance(env, AlternatingEnv)
    env.reset(seed=2)
    with pytest.raises(ValueError, match="expected an action from 0 to 2 for seat 0; got 3"):
        env.step(3)
    with pytest.raises(ValueError, match="expected an action for seat_0, which acts; got None"):
        env.step(None)
    env.step(0)
    assert env.agent_selection == "seat_1"
    both = hexarena.env("tron", seats=2)
    assert isinstance(both, SimultaneousEnv)
    both.reset(seed=1)
    with pytest.raises(ValueError, match="expected an action for seat 1, which acts; got none"):
        both.step({"seat_0": 1})
    for nonsense in (0.5, "UP", None):
        with pytest.raises(ValueError, match=f"expected an action from 0 to 3 for seat 1; got {nonsense!r}"):
            both.step({"seat_0": 1, "seat_1": nonsense})
    assert len(both.step({"seat_0": 1, "seat_1": 1})[0]) == 2


def test_without_a_match_there_is_no_step() -> None:
    for game in GAMES:
        env = hexarena.env(game)
        with pytest.raises(NotStarted, match=r"expected reset\(\)"):
            env.step({})
        with pytest.raises(NotStarted):
            env.replay()
        played(env, 1)
        with pytest.raises(NotStarted, match="it is over"):
            env.step({})


def test_a_wish_of_the_wrong_type_is_refused() -> None:
    wrong: dict[str, Any] = {"seats": "3", "level": "1", "render_mode": "human"}
    expected = {
        "seats": "expected 2 or 3 or 4 seats for Tron; got '3'",
        "level": "expected a level of 1; got '1'",
        "render_mode": "expected the render_mode 'ansi' or None; got 'human'",
    }
    for name, value in wrong.items():
        with pytest.raises(Refused, match=re.escape(expected[name])):
            hexarena.env("tron", **{name: value})
    with pytest.raises(Refused, match="expected the render_mode"):
        hexarena.gym_env("tron", lambda seen, mask: 0, render_mode=wrong["render_mode"])
    env: Any = hexarena.env("tron")
    with pytest.raises(Refused, match="expected a whole number as the seed; got 'x'"):
        env.reset(seed="x")


# --- Seeds, levels and options ---------------------------------------------------------------------------------------


def test_a_seed_is_the_seed_of_the_match_and_those_after_it_follow_from_it() -> None:
    def seeds(first: int) -> list[int]:
        env = hexarena.env("tron")
        found = []
        for seed in (first, None, None):
            env.reset(seed=seed)
            found.append(env._table.match.seed)
        return found

    assert seeds(7) == seeds(7)
    assert seeds(7)[0] == 7
    assert len({*seeds(7), *seeds(8)}) == 6


def test_level_and_options_may_be_others_for_one_match() -> None:
    env = hexarena.env(COUNTDOWN, seats=2, level=1)
    env.reset(seed=2, options={"level": 2, "of a wrapper": True})
    assert env._table._now.level == 2
    env.reset(seed=2)
    assert env._table._now.level == 1
    played(env, 2, options={"level": 2})
    assert env.record is not None
    assert (env.record.league, env.record) == (2, refereed(COUNTDOWN, env.record))
    with pytest.raises(Refused, match="expected options that leave actions and observations as they are"):
        env.reset(options={"game_options": {"start": 9}})
    with pytest.raises(Refused, match="expected a level of 1, 2; got 3"):
        env.reset(options={"level": 3})
    larger = hexarena.env(COUNTDOWN, seats=2, game_options={"start": 9})
    assert larger.observation_space("seat_0")["observation"]["own"].n == 11


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"game": "ants"}, "expected a game with a machine view, one of tron, yavalath; got ants"),
        ({"game": "tron", "seats": 5}, "expected 2 or 3 or 4 seats for Tron; got 5"),
        ({"game": "yavalath", "level": 2}, "expected a level of 1; got 2"),
        ({"game": "tron", "game_options": {"size": 9}}, "expected no options for Tron; got size"),
        ({"game": COUNTDOWN, "game_options": {"start": 0}}, "expected a start of 1 or more; got 0"),
    ],
)
def test_what_a_game_cannot_be_is_refused_in_words(words: dict, says: str) -> None:
    with pytest.raises(Refused) as refused:
        hexarena.env(**words)
    assert says in str(refused.value)


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(UnknownGame, match="expected a game, one of"):
        hexarena.env("chess")


# --- The replay ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "seats"), BOTH)
def test_the_replay_has_the_match_from_header_to_end(game: str, seats: int) -> None:
    env = hexarena.env(game, seats=seats, render_mode="ansi")
    played(env, 3)
    assert env.record is not None
    lines = [json.loads(line) for line in env.replay().splitlines()]
    assert [line.get("t") for line in lines] == [None, *range(1, len(env.record.turns) + 1), None]
    assert (lines[0]["game"], lines[0]["seed"], lines[-1]["end"]) == (game, "3", True)
    assert [player["bot"] for player in lines[0]["players"]] == env.possible_agents
    assert lines[-1]["ranks"] == list(env.record.outcome.ranks)
    assert env.render() == "".join(env.replay().splitlines(keepends=True)[-2:])
    env.reset(seed=4)
    assert env.render() == env.replay()
    assert hexarena.env(game).render() is None


@pytest.mark.parametrize(("game", "seats"), BOTH)
def test_a_copy_plays_on_by_itself(game: str, seats: int) -> None:
    """As a search does."""
    env = hexarena.env(game, seats=seats)
    env.reset(seed=5)
    twin = copy.deepcopy(env)
    played(twin, 6)
    assert env._table.match.turns == []
    assert twin._table.match.turns != []


def test_choices_are_legal_where_the_mask_says_so() -> None:
    """Of the drivers: a mask of nothing is nobody's turn."""
    from random import Random

    env = hexarena.env("yavalath")
    env.reset()
    assert env.observe("seat_1")["action_mask"].sum() == 0
    assert env.observe("seat_0")["action_mask"].sum() == 61
    assert 0 <= choice(Random(1), env.observe("seat_0"), 0.0) < 61
