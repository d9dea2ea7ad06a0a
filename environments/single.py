"""One seat of a game against opponents, as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, SupportsIndex

import gymnasium
from gymnasium import spaces

from hexarena.environments.match import TypedMatch
from hexarena.environments.opponents import Opponents, Seated
from hexarena.environments.setting import CLOSED, Refused, Setting
from hexarena.environments.spaces import Observed, as_observed, mask_of, space_of
from hexarena.environments.table import NotStarted, RenderMode
from hexarena.games.contract import Seat
from hexarena.games.lines import Player
from hexarena.games.referee import Record
from hexarena.games.shapes import json_schema
from hexarena.worker.sandbox import SandboxError

LEARNER = "learner"
"""Its name in replays."""
SEEDS = (1, 2**40)
"""From and below, of the seeds that matches get by themselves: as in the arena."""


@dataclass(frozen=True, slots=True)
class _Playing:
    """A match on its way, and who is in it."""

    setting: Setting
    match: TypedMatch
    seat: Seat
    others: Seated

    def is_over(self) -> bool:
        """For the learner: the others may play on."""
        return self.seat in self.match.left


class SeatEnv(gymnasium.Env[Observed, SupportsIndex]):
    """A step is the learner's action, and all that the others do until it acts again. See docs/research.md."""

    def __init__(
        self, setting: Setting, opponents: Opponents, *, seat: Seat | None, render_mode: RenderMode | None = None
    ) -> None:
        """`seat`: the learner's; None draws it anew for each match. Raises: Refused."""
        if seat is not None and not 0 <= seat < setting.seats:
            raise Refused(f"expected a seat from 0 to {setting.seats - 1}, or None; got {seat}")
        game = setting.game
        self.metadata = {"name": f"{game.id}_v{game.version}", "render_modes": ["ansi"], "render_fps": 2}
        self.render_mode = render_mode
        self.observation_space = space_of(setting.shape)
        self.action_space: spaces.Space[Any] = spaces.Discrete(len(setting.actions))
        self._setting, self._opponents, self._seat = setting, opponents, seat
        self._playing: _Playing | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begins a match and plays it until the learner acts. `seed`: the match's own, else one that follows from the
        last seed given. `options`: "level" and "game_options", for this match.

        Raises: Refused, also once it is closed; SandboxError, where a bot cannot be started; NotStarted, where the
        opponents ended the match before the learner acted, e.g. since one of them crashed.
        """
        super().reset(seed=seed)
        self._playing = None
        setting = self._setting.changed(options)
        chosen = int(self.np_random.integers(*SEEDS)) if seed is None else seed
        seat = int(self.np_random.integers(setting.seats)) if self._seat is None else self._seat
        others = self._opponents.start([other for other in range(setting.seats) if other != seat])
        match = TypedMatch(setting, seed=chosen, bots=others.bots)
        playing = _Playing(setting, match, seat, others)
        faults = self._play_on(playing)
        if playing.is_over():
            why = "; ".join(faults.values()) or (match.outcome.reason if match.outcome else "it is out")
            raise NotStarted(f"expected a match in which seat {seat} acts; it was over before: {why}")
        self._playing = playing
        return self._observed(playing), self._info(playing, faults)

    def step(self, action: SupportsIndex) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """The learner's action, and the others' until it acts again.

        Raises: ValueError, for what is no action; NotStarted, before a match and after it; Refused, once it is closed;
        SandboxError, where the machine kept a bot from running: the match is void, and `reset` begins another one.
        """
        if not self._opponents.is_open:
            # Its bots are gone: each would be a crash, and a match won by nobody's strength.
            raise Refused(CLOSED)
        playing = self._playing
        if playing is None or playing.is_over():
            raise NotStarted("expected reset() before step(): there is no match, or it is over")
        try:
            faults = self._turn(playing, action)
            faults |= self._play_on(playing)
        except SandboxError:
            self._playing = None
            raise
        if playing.is_over():
            self._opponents.stop()
        reward = playing.match.left.get(playing.seat, 0.0)
        return self._observed(playing), reward, playing.is_over(), False, self._info(playing, faults)

    def _play_on(self, playing: _Playing) -> dict[Seat, str]:
        """Turns in which only others act. Seat -> what was wrong."""
        faults: dict[Seat, str] = {}
        while not playing.is_over() and playing.seat not in playing.match.acting:
            faults |= self._turn(playing, None)
        return faults

    def _turn(self, playing: _Playing, action: SupportsIndex | None) -> dict[Seat, str]:
        match, setting = playing.match, playing.setting
        actions: dict[Seat, SupportsIndex] = {} if action is None else {playing.seat: action}
        for seat, policy in playing.others.policies.items():
            if seat in match.acting:
                seen = as_observed(setting.shape, match.observation(seat))
                actions[seat] = policy(seen, mask_of(match.legal(seat), len(setting.actions)))
        match.play(actions)
        return dict(match.faults())

    def _observed(self, playing: _Playing) -> Observed:
        return as_observed(playing.setting.shape, playing.match.observation(playing.seat))

    def _info(self, playing: _Playing, faults: Mapping[Seat, str]) -> dict[str, Any]:
        """`action_mask`; `seat`: the learner's; `faults`: seat -> what was wrong since the last step, of all seats."""
        mask = mask_of(playing.match.legal(playing.seat), len(playing.setting.actions))
        return {"action_mask": mask, "seat": playing.seat, "faults": dict(faults)}

    def action_masks(self) -> Any:
        """[action] -> whether it is legal now, as the maskable algorithms of sb3-contrib ask. Raises: NotStarted."""
        playing = self._now()
        return mask_of(playing.match.legal(playing.seat), len(playing.setting.actions)).astype(bool)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Action -> the reply that it stands for."""
        return self._setting.actions

    @property
    def observation_schema(self) -> Mapping[str, Any]:
        """The JSON schema of observations, as the game gives them."""
        return json_schema(self._setting.shape)

    @property
    def record(self) -> Record | None:
        """All that the referee wrote down, if the match is over: for others it may go on when the learner has left.

        Raises: NotStarted.
        """
        return self._now().match.record()

    def replay(self) -> str:
        """The replay so far; as a file, `hexarena watch` opens it. Raises: NotStarted."""
        playing = self._now()
        return "".join(playing.match.lines(self._players(playing)))

    def render(self) -> str | None:
        """The replay's newest lines; None without a render mode."""
        if self.render_mode is None:
            return None
        playing = self._now()
        return "".join(playing.match.last_lines(self._players(playing)))

    def close(self) -> None:
        """Ends the opponents' processes and the sandbox. May be called again."""
        self._opponents.close()

    def _now(self) -> _Playing:
        if self._playing is None:
            raise NotStarted("expected reset() before anything else")
        return self._playing

    def _players(self, playing: _Playing) -> list[Player]:
        others = playing.others.players
        return [others.get(seat, Player(LEARNER)) for seat in range(playing.setting.seats)]
