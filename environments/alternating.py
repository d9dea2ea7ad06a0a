"""A game whose seats act one after the other, as PettingZoo's AECEnv."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv

from hexarena.environments.setting import Setting
from hexarena.environments.table import Agent, NotStarted, RenderMode, Seated, Seen, Table
from hexarena.games.contract import Seat


class AlternatingEnv(Seated, AECEnv[Agent, Seen, int | None]):
    """All seats of a game, in one step an action. See docs/research.md.

    Where a turn has several seats, their actions are gathered, and the turn is played with the last one.
    """

    def __init__(self, setting: Setting, *, render_mode: RenderMode | None = None) -> None:
        self._table = Table(setting)
        self._chosen: dict[Seat, int] = {}
        self.metadata: dict[str, Any] = self._table.metadata(parallelizable=False)
        self.render_mode = render_mode
        self.possible_agents = list(self._table.names)
        self.agents: list[Agent] = []
        self.observation_spaces = self._table.observations
        self.action_spaces = self._table.actions

    def observation_space(self, agent: Agent) -> spaces.Space[Seen]:
        """`observation` and `action_mask`; the same for all."""
        return self.observation_spaces[agent]

    def action_space(self, agent: Agent) -> spaces.Space[int | None]:
        """Discrete; the same for all."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match. `seed`: the match's own. `options`: "level" and "game_options", for this match.

        Raises: Refused.
        """
        match = self._table.start(seed, options)
        self._chosen = {}
        if hasattr(self, "_skip_agent_selection"):
            del self._skip_agent_selection
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self._table.names[match.acting[0]]

    def observe(self, agent: Agent) -> Seen:
        """What the agent sees now; its mask has a 1 only where it acts. Raises: NotStarted."""
        return self._table.seen(self._table.seat(agent))

    def step(self, action: int | None) -> None:
        """The action of `agent_selection`; None, if that one has left.

        Raises: ValueError, for a number that is no action; NotStarted, before a match and after it.
        """
        if not self.agents:
            raise NotStarted("expected reset() before step(): there is no match, or it is over")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"expected an action for {agent}, which acts; got None")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        match = self._table.match
        self._chosen[self._table.seat(agent)] = action
        waiting = [seat for seat in match.acting if seat not in self._chosen]
        if waiting:
            self.agent_selection = self._table.names[waiting[0]]
            return
        acted, self._chosen = self._chosen, {}
        leaving = match.play(acted)
        for seat, reward in leaving.items():
            name = self._table.names[seat]
            self.rewards[name], self.terminations[name] = reward, True
        self.infos |= {self._table.names[seat]: self._table.info(seat) for seat in acted}
        if match.acting:
            self.agent_selection = self._table.names[match.acting[0]]
        self._accumulate_rewards()
        self._deads_step_first()
