"""Who has the other seats: functions, or bots in their sandboxes, as `hexarena match` plays them.

Theory of operation: bots are built once. Each match starts them anew and ends those of the match before, and while the
learner thinks they are frozen, as any bot is that waits. A bot's CPU time is limited by the game's clock. If nobody
holds an environment any more, its bots end, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import SupportsIndex, TypeAlias
from weakref import finalize

from hexarena.cli.entrants import Refused as BotRefused, ready_bot
from hexarena.cli.sandboxes import open_sandbox, require_one_self_test
from hexarena.environments.setting import CLOSED, Refused, Setting
from hexarena.environments.spaces import Mask, Observed
from hexarena.games.contract import Channel, Seat
from hexarena.games.lines import Player
from hexarena.worker.play import ReadyBot
from hexarena.worker.sandbox import Sandbox

Policy: TypeAlias = Callable[[Observed, Mask], SupportsIndex]
"""(what its seat knows, [action] -> 1 where it is legal) -> action."""
Opponent: TypeAlias = str | Path | Policy
"""A policy, or a bot as `hexarena match --bot` takes it: a house bot's name, a source, or a command line."""


@dataclass(frozen=True, slots=True)
class Seated:
    """The others in one match: seat -> bot, seat -> policy, and seat -> who it is in replays."""

    bots: dict[Seat, Channel]
    policies: dict[Seat, Policy]
    players: dict[Seat, Player]


class Opponents:
    """All opponents of one environment, in the order of their seats. `close` ends their processes."""

    def __init__(self, setting: Setting, wanted: Opponent | Sequence[Opponent], *, no_sandbox: bool = False) -> None:
        """`wanted`: one for all other seats, or one for each.

        Raises: Refused, SandboxError.
        """
        others = setting.seats - 1
        each = [wanted] * others if isinstance(wanted, str | Path) or callable(wanted) else list(wanted)
        if len(each) != others:
            raise Refused(f"expected one opponent, or {others}, one for each other seat; got {len(each)}")
        self._game = setting.game
        self._open, self._running = ExitStack(), ExitStack()
        self._end = finalize(self, _close, self._running, self._open)
        try:
            self._sandbox = self._opened(no_sandbox) if any(not callable(one) for one in each) else None
            built = {str(one): self._built(str(one)) for one in each if not callable(one)}
        except BaseException:
            self.close()
            raise
        self._each: list[ReadyBot | Policy] = [one if callable(one) else built[str(one)] for one in each]

    def _opened(self, no_sandbox: bool) -> Sandbox:
        sandbox = self._open.enter_context(open_sandbox(no_sandbox=no_sandbox))
        sandbox.sweep()
        require_one_self_test(sandbox)
        return sandbox

    def _built(self, bot: str) -> ReadyBot:
        assert self._sandbox is not None  # noqa: S101 - opened where there is a bot
        try:
            return ready_bot(self._game, self._sandbox, bot)
        except BotRefused as refused:
            raise Refused(str(refused)) from None

    def start(self, seats: Sequence[Seat]) -> Seated:
        """Ends the bots of the last match and starts those of the next.

        Raises: SandboxError; Refused, after `close`.
        """
        if not self.is_open:
            raise Refused(CLOSED)
        self.stop()
        seated = Seated({}, {}, {})
        for seat, one in zip(seats, self._each, strict=True):
            if isinstance(one, ReadyBot):
                assert self._sandbox is not None  # noqa: S101 - opened where there is a bot
                bot = self._sandbox.start(one.program, reply_bytes=self._game.reply_bytes)
                seated.bots[seat] = self._running.enter_context(bot)
                seated.players[seat] = one.player
            else:
                seated.policies[seat] = one
                seated.players[seat] = Player(getattr(one, "__name__", type(one).__name__))
        return seated

    @property
    def is_open(self) -> bool:
        """Whether `close` was not called yet."""
        return self._end.alive

    def stop(self) -> None:
        """Ends the bots that run."""
        self._running.close()

    def close(self) -> None:
        """Ends everything; may be called again."""
        self._end()


def _close(running: ExitStack, opened: ExitStack) -> None:
    """The bots first."""
    running.close()
    opened.close()
