"""Plays a match from replies on standard input, and prints the hash of its replay: for the check of another process."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from hexarena.cli.check.subject import Scripted, Subject
from hexarena.games.catalogue import find_game, game_folder


def main() -> None:
    """Reads game, options, seed, level and replies as JSON."""
    order = json.load(sys.stdin)
    game = find_game(order["game"]).with_options(**order["options"])
    subject = Subject(game, game_folder(game.id), Path())
    record = subject.play([Scripted(one) for one in order["replies"]], seed=order["seed"], level=order["level"])
    print(hashlib.sha256("".join(subject.lines(record)).encode()).hexdigest())


if __name__ == "__main__":
    main()
