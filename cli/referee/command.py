"""`hexarena referee`: plays one match for another tool, and prints what the tool reads.

Theory of operation: brutaltester and psyleague start a referee program for each match, which starts the bots itself. A
start must therefore be cheap: nothing is imported that a match does not need, and the sandbox's self-test is not
repeated. Nothing is written to stderr but errors, since brutaltester takes any line there for one.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from hexarena.cli.entrants import Refused, check_folders, check_outputs, files_of, ready_bot
from hexarena.cli.referee.options import Order, read_order
from hexarena.cli.referee.report import disqualified, log_json, psyleague_json, whole_scores
from hexarena.cli.sandboxes import open_sandbox, require_one_self_test
from hexarena.games.catalogue import UnknownGame, failed_in_game
from hexarena.games.contract import Game
from hexarena.games.lines import Player
from hexarena.worker.play import PlayedMatch, ReadyBot, play_match, play_with_retries
from hexarena.worker.sandbox import Sandbox, SandboxError

REFUSED = 2


def main(words: Sequence[str]) -> int:
    """Plays the match that the options describe. Returns the exit code: 0 if it was played, 2 if it could not be."""
    try:
        order = read_order(words)
        files = {"-l": order.log, "--replay": order.replay}
        check_folders(files)
        check_outputs(files_of(order.game, order.bots), files)
        played = _played(order)
        if order.log is not None:
            order.log.write_text(json.dumps(log_json(played.record, order.names), ensure_ascii=False))
        if order.replay is not None:
            order.replay.write_text(played.replay)
    except (Refused, UnknownGame, SandboxError, OSError) as error:
        print(error, file=sys.stderr)
        return REFUSED
    print(_printed(order, played))
    return 0


def _printed(order: Order, played: PlayedMatch) -> str:
    if order.psyleague:
        return json.dumps(psyleague_json(played.record))
    return "\n".join(
        [*map(str, whole_scores(played.record.outcome, disqualified(played.record))), f"seed={order.seed}"]
    )


def _played(order: Order) -> PlayedMatch:
    """Raises: Refused, SandboxError."""
    with open_sandbox(no_sandbox=order.no_sandbox) as sandbox:
        sandbox.sweep()
        require_one_self_test(sandbox)
        entrants = [
            ReadyBot(_bot(order.game, sandbox, bot).program, Player(bot=name))
            for bot, name in zip(order.bots, order.names, strict=True)
        ]
        attempt = partial(play_match, order.game, sandbox, entrants, seed=order.seed, league=order.league)
        try:
            return play_with_retries(attempt, lambda _: None)
        except Exception as error:
            # What a game's author reads; a bug of ours keeps its traceback.
            if isinstance(error, SandboxError) or (what := failed_in_game(error, order.game.id)) is None:
                raise
            raise Refused(f"The game's own code failed: {what}") from None


def _bot(game: Game, sandbox: Sandbox, bot: str) -> ReadyBot:
    """As for `hexarena match`, but a program in the current folder runs there, as in the tools.

    Tools name it by its whole path, too, which does not exist in the sandbox.
    """
    here = Path.cwd()
    ready = ready_bot(game, sandbox, bot)
    command = ready.program.command
    if command.files or not command.home.is_relative_to(here):
        return ready
    # A command line may be longer than a name can be: Path.exists would raise an OSError.
    is_path = os.path.exists(bot)  # noqa: PTH110
    words = [str((command.home / command.argv[0]).resolve()), *command.argv[1:]] if is_path else command.argv
    # Where a path may begin: a folder with the same end, as /mnt/home/me in /home/me, is another one.
    within = re.compile(r"(?:^|(?<=[\s\"'=:,]))" + re.escape(f"{here}/"))
    return ReadyBot(sandbox.command([within.sub("./", word) for word in words], here), ready.player)
