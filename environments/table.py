"""What PettingZoo's two forms share: the agents' names, their spaces, seeds, and the match that is being played."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Literal, TypeAlias

from gymnasium import spaces

from hexarena.environments.match import TypedMatch
from hexarena.environments.setting import Setting, seed_of
from hexarena.environments.spaces import as_observed, mask_of, mask_space, space_of
from hexarena.games.contract import Seat
from hexarena.games.lines import Player
from hexarena.games.referee import Record
from hexarena.games.seeds import random_seed
from hexarena.games.shapes import json_schema

Agent: TypeAlias = str
"""A seat by its name: "seat_0", "seat_1", …"""
Seen: TypeAlias = dict[str, Any]
"""`observation`: what the seat knows; `action_mask`: [action] -> 1 where it is legal."""
RenderMode: TypeAlias = Literal["ansi"]


class NotStarted(RuntimeError):
    """There is no match: `reset` begins one."""


class Table:
    """The seats of one environment. `names`: seat -> agent."""

    def __init__(self, setting: Setting) -> None:
        self._setting, self._now = setting, setting
        self._random = Random()
        self._match: TypedMatch | None = None
        self.names = [f"seat_{seat}" for seat in range(setting.seats)]
        count = len(setting.actions)
        self.actions: dict[Agent, spaces.Space[Any]] = {name: spaces.Discrete(count) for name in self.names}
        self.observations: dict[Agent, spaces.Space[Any]] = {
            name: spaces.Dict({"observation": space_of(setting.shape), "action_mask": mask_space(count)})
            for name in self.names
        }

    def metadata(self, *, parallelizable: bool) -> dict[str, Any]:
        """As PettingZoo wants it."""
        game = self._setting.game
        name = f"{game.id}_v{game.version}"
        return {"name": name, "render_modes": ["ansi"], "is_parallelizable": parallelizable, "render_fps": 2}

    def start(self, seed: int | None, options: Mapping[str, Any] | None) -> TypedMatch:
        """A new match with this seed, else with one that follows from the last seed given. Raises: Refused."""
        self._now = self._setting.changed(options)
        given = None if seed is None else seed_of(seed)
        if given is not None:
            self._random = Random(given)
        self._match = TypedMatch(self._now, seed=random_seed(self._random) if given is None else given)
        return self._match

    @property
    def match(self) -> TypedMatch:
        """The match. Raises: NotStarted."""
        if self._match is None:
            raise NotStarted("expected reset() before anything else")
        return self._match

    def seat(self, agent: Agent) -> Seat:
        """The agent's seat."""
        return self.names.index(agent)

    def seen(self, seat: Seat) -> Seen:
        """What the seat sees now, and may do."""
        observed = as_observed(self._now.shape, self.match.observation(seat))
        return {"observation": observed, "action_mask": mask_of(self.match.legal(seat), len(self._now.actions))}

    def info(self, seat: Seat) -> dict[str, Any]:
        """`fault`: what was wrong with the seat's last action, if anything was."""
        faults = self.match.faults()
        return {"fault": faults[seat]} if seat in faults else {}

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of `observation`."""
        return json_schema(self._setting.shape)

    def action_names(self) -> tuple[str, ...]:
        """Action -> the reply that it stands for."""
        return self._setting.actions

    def record(self) -> Record | None:
        """The referee's record, once the match is over."""
        return self.match.record()

    def replay(self) -> str:
        """The replay so far."""
        return "".join(self.match.lines(self._players()))

    def rendered(self, mode: str | None) -> str | None:
        """The replay's newest lines."""
        return None if mode is None else "".join(self.match.last_lines(self._players()))

    def _players(self) -> list[Player]:
        return [Player(name) for name in self.names]


class Seated:
    """What both forms offer around their match, whatever the order in which the seats act."""

    _table: Table
    render_mode: str | None

    @property
    def action_names(self) -> tuple[str, ...]:
        """Action -> the reply that it stands for."""
        return self._table.action_names()

    @property
    def observation_schema(self) -> Mapping[str, Any]:
        """The JSON schema of `observation`, as a game gives it."""
        return self._table.schema()

    @property
    def record(self) -> Record | None:
        """All that the referee wrote down, once the match is over. Raises: NotStarted."""
        return self._table.record()

    def replay(self) -> str:
        """The replay so far; as a file, `hexarena watch` opens it. Raises: NotStarted."""
        return self._table.replay()

    def render(self) -> str | None:
        """The replay's newest lines; None without a render mode."""
        return self._table.rendered(self.render_mode)

    def close(self) -> None:
        """There is nothing to release."""
