"""Feeds bytes that libFuzzer makes to a game's protocol and rules, as if a bot had written them. See README.md here.

Usage: fuzz_protocol.py GAME [libFuzzer's own options] [FOLDER of inputs]

An input is two bytes, which choose the rules level and the state of a real match to begin with, and then lines: one
for each seat that is asked, turn after turn. Any exception but BadReply ends the run and stores the input.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[2]))
with atheris.instrument_imports(include=["hexarena.games"]):
    from hexarena.games.catalogue import find_game
    from tests.games.junk import corpus_of, follow, states_of
    from tests.games.test_conformance import quick


def main(game_id: str, options: list[str]) -> None:
    """Runs until something is raised, or as long as the options say."""
    game = quick(find_game(game_id))
    states = {level: states_of(game, level) for level in game.levels}

    def one_input(data: bytes) -> None:
        if len(data) < 2:
            return
        of_level = states[game.levels[data[0] % len(game.levels)]]
        pieces = data[2:].replace(b"\r", b"\n").split(b"\n")
        lines = (piece[: game.reply_bytes].decode("utf-8", "replace") for piece in pieces)
        follow(game, of_level[data[1] % len(of_level)], lines)

    folders = [Path(option) for option in options if not option.startswith("-")]
    if folders:
        _sow(folders[0], [line.encode("utf-8", "replace") for line in corpus_of(game)])
    atheris.Setup([sys.argv[0], *options], one_input)
    atheris.Fuzz()


def _sow(folder: Path, lines: list[bytes]) -> None:
    """Writes initial inputs, where there are none: lines that bots really wrote, a few to an input."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        return
    for number, first in enumerate(range(0, len(lines), 8)):
        few = b"\n".join(lines[first : first + 8])
        (folder / f"bots-{number:03}").write_bytes(bytes([number % 4, number % 256]) + few)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
