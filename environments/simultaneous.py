"""A game whose seats act at once, as PettingZoo's ParallelEnv."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from pettingzoo import ParallelEnv

from hexarena.environments.setting import Setting
from hexarena.environments.table import Agent, NotStarted, RenderMode, Seated, Seen, Table


class SimultaneousEnv(Seated, ParallelEnv[Agent, Seen, int]):
    """All seats of a game, in one step a turn. See docs/research.md."""

    def __init__(self, setting: Setting, *, render_mode: RenderMode | None = None) -> None:
        self._table = Table(setting)
        self.metadata: dict[str, Any] = self._table.metadata(parallelizable=True)
        self.render_mode = render_mode
        self.possible_agents = list(self._table.names)
        self.agents: list[Agent] = []
        self.observation_spaces = self._table.observations
        self.action_spaces = self._table.actions

    def observation_space(self, agent: Agent) -> spaces.Space[Seen]:
        """`observation` and `action_mask`; the same for all."""
        return self.observation_spaces[agent]

    def action_space(self, agent: Agent) -> spaces.Space[int]:
        """Discrete; the same for all."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Agent, Seen], dict[Agent, dict[str, Any]]]:
        """Begins a match. `seed`: the match's own. `options`: "level" and "game_options", for this match.

        Raises: Refused.
        """
        self._table.start(seed, options)
        self.agents = list(self.possible_agents)
        return {agent: self._table.seen(seat) for seat, agent in enumerate(self.agents)}, {
            agent: {} for agent in self.agents
        }

    def step(
        self, actions: dict[Agent, int]
    ) -> tuple[
        dict[Agent, Seen], dict[Agent, float], dict[Agent, bool], dict[Agent, bool], dict[Agent, dict[str, Any]]
    ]:
        """One turn. `actions`: of each agent whose mask has a 1; those of others are ignored.

        Raises: ValueError, for a missing action or a number that is none; NotStarted, before a match and after it.
        """
        if not self.agents:
            raise NotStarted("expected reset() before step(): there is no match, or it is over")
        before = {agent: self._table.seat(agent) for agent in self.agents}
        given = {seat: actions[agent] for agent, seat in before.items() if agent in actions}
        leaving = self._table.match.play(given)
        self.agents = [agent for agent, seat in before.items() if seat not in leaving]
        return (
            {agent: self._table.seen(seat) for agent, seat in before.items()},
            {agent: leaving.get(seat, 0.0) for agent, seat in before.items()},
            {agent: seat in leaving for agent, seat in before.items()},
            dict.fromkeys(before, False),
            {agent: self._table.info(seat) for agent, seat in before.items()},
        )
