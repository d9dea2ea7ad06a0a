"""`hexarena.gym_env`: one seat against functions and sandboxed bots. Gymnasium's own check passes."""

from __future__ import annotations

import gc
import json
import warnings
from pathlib import Path
from random import Random

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from jsonschema import Draft202012Validator

import hexarena
from hexarena.environments.setting import Refused
from hexarena.environments.single import SeatEnv
from hexarena.environments.table import NotStarted
from hexarena.games.catalogue import bot_file, find_game
from tests.environments.countdown import GAME as COUNTDOWN
from tests.environments.drivers import refereed

NOT_TRIED = ".*Not able to test alternative render modes due to the environment not having a spec"
MATCHES = [("yavalath", 2), ("tron", 2), ("tron", 3), ("tron", 4)]
LEARNERS = [(game, seats, seat) for game, seats in MATCHES for seat in (0, seats - 1, None)]
FIRST_FREE = """
_, rows = input(), int(input())
while True:
    board = [(x, y) for y in range(rows) for x, stone in enumerate(input()) if stone == "0"]
    input()
    print(*board[0], flush=True)
    rows = int(input())
"""
"""A bot of Yavalath's without chance, which Gymnasium's check does not allow."""


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for all tests here, where the sandbox tests itself once."""
    monkeypatch.setenv("HEXARENA_DATA_FOLDER", str(tmp_path_factory.getbasetemp() / "environments"))


def first(observation, mask: np.ndarray) -> int:
    """The first legal action."""
    return int(mask.argmax())


def last(observation, mask: np.ndarray) -> int:
    """The last legal action."""
    return len(mask) - 1 - int(mask[::-1].argmax())


def play_out(env: SeatEnv, seed: int, illegal: float = 0.0) -> list[tuple[float, bool, dict]]:
    """A match of random actions of the learner's. What each step said of reward, end and info."""
    random, said = Random(seed), []
    _, info = env.reset(seed=seed)
    over = False
    while not over:
        legal = np.flatnonzero(info["action_mask"]).tolist()
        action = random.randrange(env.action_space.n) if random.random() < illegal else random.choice(legal)
        observation, reward, over, truncated, info = env.step(action)
        assert observation in env.observation_space
        assert truncated is False
        said.append((reward, over, info))
    return said


@pytest.mark.parametrize(("game", "seats", "seat"), LEARNERS)
def test_gymnasium_accepts_the_environment(game: str, seats: int, seat: int | None) -> None:
    env = hexarena.gym_env(game, first, seat=seat, seats=seats, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", NOT_TRIED)
        check_env(env)


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize("seat", [0, 1])
def test_gymnasium_accepts_the_environment_with_a_bot(seat: int, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(FIRST_FREE)
    env = hexarena.gym_env("yavalath", bot, seat=seat)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", NOT_TRIED)
        check_env(env)
    env.close()


@pytest.mark.parametrize(("game", "seats", "seat"), LEARNERS)
@pytest.mark.parametrize("illegal", [0.0, 0.1])
def test_the_match_is_that_of_the_referee(game: str, seats: int, seat: int | None, illegal: float) -> None:
    env = hexarena.gym_env(game, first, seat=seat, seats=seats)
    whole, taken = find_game(game), set()
    for seed in range(1, 21):
        said = play_out(env, seed, illegal)
        reward, _, info = said[-1]
        taken.add(info["seat"])
        assert [before for before, _, _ in said[:-1]] == [0.0] * (len(said) - 1)
        if env.record is None:  # the others ride on
            assert (game, seats > 2, reward < 1) == ("tron", True, True)
            continue
        assert env.record == refereed(whole, env.record)
        assert (reward == 1) == (env.record.outcome.ranks[info["seat"]] == 0 and env.record.outcome.ranks.count(0) == 1)
    assert taken == (set(range(seats)) if seat is None else {seat})


@pytest.mark.sandbox
def test_house_bots_and_source_files_play_in_the_sandbox_as_in_a_match() -> None:
    """Keystone reads prompts, uses CPU time, and wins; the record is one that the referee repeats."""
    env = hexarena.gym_env("yavalath", "Keystone", seat=1)
    said = play_out(env, 4)
    assert env.record is not None
    keystone = [exchange for turn in env.record.turns for exchange in turn.exchanges if exchange.seat == 0]
    assert all(exchange.cpu_s > 0 for exchange in keystone)
    assert (said[-1][0], env.record.outcome.reason) == (-1.0, "seat 0 made a line of 4")
    assert refereed(find_game("yavalath"), env.record).digest == env.record.digest
    assert not Path("/proc", str(env._playing.others.bots[0].pid)).exists()
    env.reset(seed=4)
    env.close()
    env.close()
    with pytest.raises(Refused, match="this one was closed"):
        env.step(0)
    with pytest.raises(Refused, match="this one was closed"):
        env.reset(seed=5)


@pytest.mark.long
@pytest.mark.sandbox
def test_a_forgotten_environment_ends_its_bots() -> None:
    env = hexarena.gym_env("yavalath", "Pebble", seat=1)
    env.reset(seed=1)
    pids = [bot.pid for bot in env._playing.others.bots.values()]
    assert [Path("/proc", str(pid)).exists() for pid in pids] == [True]
    del env
    gc.collect()
    assert [Path("/proc", str(pid)).exists() for pid in pids] == [False]


@pytest.mark.sandbox
def test_each_other_seat_has_an_opponent_of_its_own() -> None:
    source = bot_file(find_game("tron"), "hugger.py")
    env = hexarena.gym_env("tron", ["Sprinter", source, last], seat=1, seats=4)
    play_out(env, 2)
    header = json.loads(env.replay().splitlines()[0])
    assert [player["bot"] for player in header["players"]] == ["Sprinter", "learner", "hugger", "last"]
    env.reset(seed=3)
    assert env.replay().splitlines() == env.replay().splitlines()[:1]
    env.close()


@pytest.mark.sandbox
def test_the_bots_of_a_match_end_with_it(tmp_path: Path) -> None:
    env = hexarena.gym_env("yavalath", "Pebble")
    env.reset(seed=1)
    bots = env._playing.others.bots
    env.step(0)
    pids = [bot.pid for bot in bots.values()]
    assert [Path("/proc", str(pid)).exists() for pid in pids] == [True]
    env.reset(seed=2)
    assert [Path("/proc", str(pid)).exists() for pid in pids] == [False]
    env.close()


@pytest.mark.sandbox
def test_a_bot_that_crashes_loses_and_info_says_so(tmp_path: Path) -> None:
    bot = tmp_path / "brief.py"
    bot.write_text("print('0 0' if input() else '', flush=True)\n")
    env = hexarena.gym_env("yavalath", bot, seat=1)
    _, info = env.reset(seed=1)
    assert info["faults"] == {}
    _, reward, over, _, info = env.step(5)
    assert (reward, over, list(info["faults"])) == (1.0, True, [0])
    env.close()
    silent = tmp_path / "silent.py"
    silent.write_text("# says nothing\n")
    env = hexarena.gym_env("yavalath", silent, seat=1)
    with pytest.raises(NotStarted, match="expected a match in which seat 1 acts; it was over before"):
        env.reset(seed=1)
    env.close()


def test_the_learners_own_faults_cost_it_what_the_rules_say() -> None:
    env = hexarena.gym_env("yavalath", first)
    env.reset(seed=1)
    env.step(9)
    _, reward, over, _, info = env.step(9)
    assert (reward, over) == (-1.0, True)
    assert info["faults"][0].startswith("expected an empty cell")
    assert not info["action_mask"].any()


def test_a_step_is_all_that_happens_until_the_learner_acts_again() -> None:
    env = hexarena.gym_env(COUNTDOWN, first, seat=2, seats=4, level=1)
    observation, _ = env.reset(seed=2)  # the counts are 5, 6, 5, 6, and each takes 1
    assert observation["counts"].tolist() == [4, 5, 5, 6]
    observation, *_ = env.step(2)
    assert observation["counts"].tolist() == [3, 4, 2, 5]
    _, reward, over, _, _ = env.step(1)
    assert (reward, over, env.record) == (-1.0, True, None)


def test_seeds_repeat_matches_and_seats() -> None:
    def drawn(seed: int) -> list[tuple[int, int]]:
        env = hexarena.gym_env("tron", first, seat=None)
        found = []
        for given in (seed, None, None, None):
            env.reset(seed=given)
            found.append((env._playing.match.seed, env._playing.seat))
        return found

    assert drawn(3) == drawn(3)
    assert drawn(3)[0][0] == 3
    assert len({seed for seed, _ in drawn(3) + drawn(4)}) == 8


def test_level_and_options_may_be_others_for_one_match() -> None:
    env = hexarena.gym_env(COUNTDOWN, first, seats=2)
    env.reset(seed=1, options={"level": 1})
    assert env._playing.setting.level == 1
    with pytest.raises(Refused, match="expected a level"):
        env.reset(seed=1, options={"level": 9})
    with pytest.raises(NotStarted):
        env.step(0)


def test_masks_names_schema_and_pictures() -> None:
    env = hexarena.gym_env("tron", last, seats=2, render_mode="ansi")
    observation, info = env.reset(seed=1)
    assert env.action_names == ("UP", "DOWN", "LEFT", "RIGHT")
    assert env.action_masks().tolist() == [True] * 4
    assert info["action_mask"].tolist() == [1] * 4
    Draft202012Validator(env.observation_schema).validate(env._playing.match.observation(0))
    assert observation["board"].shape == (20, 30)
    assert json.loads(env.render())["seed"] == "1"
    env.step(0)
    assert json.loads(env.render())["m"][0] == "U"
    assert hexarena.gym_env("tron", last).render() is None
    flat = gymnasium.wrappers.FlattenObservation(env)
    assert flat.reset(seed=1)[0].shape == flat.observation_space.shape


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"opponent": first, "seat": 2, "seats": 2}, "expected a seat from 0 to 1, or None; got 2"),
        ({"opponent": [first], "seats": 4}, "expected one opponent, or 3, one for each other seat; got 1"),
        ({"opponent": "Nobody"}, "there is no file, program or house bot Nobody"),
        ({"opponent": "nobody.py"}, "there is no file nobody.py"),
    ],
)
@pytest.mark.sandbox
def test_what_cannot_be_is_refused_in_words(words: dict, says: str) -> None:
    with pytest.raises(Refused) as refused:
        hexarena.gym_env("tron", **words)
    assert says in str(refused.value)


def test_before_a_match_there_is_nothing_to_see() -> None:
    env = hexarena.gym_env("yavalath", first)
    for ask in (env.replay, env.action_masks, lambda: env.record, lambda: env.step(0)):
        with pytest.raises(NotStarted):
            ask()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="expected an action from 0 to 60 for seat 0; got 61"):
        env.step(61)
    env.step(60)
