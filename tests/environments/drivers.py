"""Plays the environments to their end, and the same replies through the referee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hexarena.environments.alternating import AlternatingEnv
from hexarena.environments.simultaneous import SimultaneousEnv
from hexarena.games.contract import Game, Reply
from hexarena.games.referee import Record, play


@dataclass
class Replies:
    """A channel that says what was said."""

    lines: Sequence[str]
    asked: int = field(default=0, init=False)

    def ask(self, prompt: str, seconds: float) -> Reply:
        self.asked += 1
        return Reply(self.lines[self.asked - 1])

    def log(self) -> str:
        return ""


def refereed(game: Game, record: Record) -> Record:
    """The match of these replies, as the referee plays it."""
    said: list[list[str]] = [[] for _ in range(record.seats)]
    for turn in record.turns:
        for exchange in turn.exchanges:
            said[exchange.seat].append(exchange.reply or "")
    return play(game, [Replies(lines) for lines in said], seed=record.seed, league=record.league)


def choice(random: Random, seen: Mapping[str, Any], illegal: float) -> int:
    """A legal action; with this probability any."""
    mask = seen["action_mask"]
    if random.random() < illegal:
        return random.randrange(len(mask))
    return random.choice([action for action, may in enumerate(mask) if may])


def played(
    env: AlternatingEnv | SimultaneousEnv, seed: int, *, illegal: float = 0.0, options: dict[str, Any] | None = None
) -> dict[str, float]:
    """Plays one match of random actions. Agent -> the sum of its rewards."""
    random = Random(seed)
    if isinstance(env, SimultaneousEnv):
        return _at_once(env, random, seed, illegal, options)
    sums: dict[str, float] = {}
    env.reset(seed=seed, options=options)
    for agent in env.agent_iter():
        seen, reward, terminated, _, _ = env.last()
        sums[agent] = sums.get(agent, 0.0) + reward
        env.step(None if terminated else choice(random, seen, illegal))
    return sums


def _at_once(
    env: SimultaneousEnv, random: Random, seed: int, illegal: float, options: dict[str, Any] | None
) -> dict[str, float]:
    seen, _ = env.reset(seed=seed, options=options)
    sums = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        actions = {
            agent: choice(random, seen[agent], illegal) for agent in env.agents if any(seen[agent]["action_mask"])
        }
        seen, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            sums[agent] += reward
    return sums
