"""Twenty bots a game: the house bots, and weakened or strengthened variants made from their sources.

A variant is a house bot's file with constants replaced, or one that blunders: on each turn, with a fixed probability,
it sends a foolish reply instead of its own. Those with nearly the same probability are near-copies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from hexarena.backend.submissions.languages import by_ending
from hexarena.games.catalogue import bot_file
from hexarena.games.contract import Game
from hexarena.games.house import house_bots

BOTS = 20
"""Bots of a game, its house bots among them."""

PYTHON_SPEAKS = """\
import builtins as _builtins
import random as _random


def print(*words, **options):
    if _random.random() < {astray}:
        words = ({foolish},)
    _builtins.print(*words, **options)


"""
"""Goes before a Python bot that prints each reply."""

PYTHON_HEARS = """\
import sys as _sys


class _Ears:
    def __init__(self, stdin):
        self.stdin, self.lines = stdin, []

    def readline(self):
        self.lines.append(self.stdin.readline())
        return self.lines[-1]

    def any_cell(self):
        rows = self.lines[-10:-1]
        empty = [(x, y) for y, row in enumerate(rows) for x, stone in enumerate(row) if stone == "0"]
        return "{} {}".format(*_random.choice(empty))


_sys.stdin = _Ears(_sys.stdin)


"""
"""Goes before a Yavalath bot too: it remembers the board that the bot has read."""

PYTHON_CLASS = """

import random as _random

_main = {name}.main


def _astray(self, *words):
    actions = _main(self, *words)
    return _random.randint(-9, 9) if _random.random() < {astray} else actions


{name}.main = _astray
"""
"""Goes after a class of Battlegrounds."""

CPP_SPEAKS = """\
#include <random>
#include <string>

static std::string or_astray(const std::string& words) {{
    static std::mt19937 dice{{std::random_device{{}}()}};
    if (std::uniform_real_distribution<>{{}}(dice) >= {astray}) return words;
    return {foolish};
}}

"""
CPP_REPLY = re.compile(r"std::cout << (.+) << std::endl;")
CLASS = re.compile(r"^class (\w+):$", re.MULTILINE)

FOOLISH = {
    ("ants", "python"): 'f"BEACON {_random.randrange(10)} 1"',
    ("ants", "cpp"): '"BEACON " + std::to_string(dice() % 10) + " 1"',
    ("tryangle", "python"): '"WAIT"',
    ("tryangle", "cpp"): '"WAIT"',
    ("yavalath", "python"): "_sys.stdin.any_cell()",
    ("tron", "python"): '"UP"',
}
"""(game, language) -> an expression in that language: a bot's reply when it blunders."""


class NotInSource(Exception):
    """A variant changes what its bot's source does not have."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A bot made of the house bot `of`. `changes`: texts of its source, and what takes their place.

    astray: the probability of a foolish reply, each turn.
    """

    name: str
    of: str
    changes: tuple[tuple[str, str], ...] = ()
    astray: float = 0.0


def astray(of: str, *percents: int, base: Variant | None = None) -> tuple[Variant, ...]:
    """Variants of one bot, or of a variant of it, that blunder in so many percent of the turns."""
    name, changes = (of, ()) if base is None else (base.name, base.changes)
    return tuple(Variant(f"{name} {percent}pc", of, changes, percent / 100) for percent in percents)


_QUICK_KEYSTONE = Variant("Keystone 10ms", "Keystone", (("TURN_S = 0.055", "TURN_S = 0.010"),))

VARIANTS: dict[str, tuple[Variant, ...]] = {
    "ants": (
        *astray("Queen", 2, 20),
        Variant(
            "Queen hasty",
            "Queen",
            (("FIRST_WORK = 4'000'000, WORK = 700'000", "FIRST_WORK = 400'000, WORK = 80'000"),),
        ),
        Variant("Queen near", "Queen", (("HORIZON = 12;", "HORIZON = 5;"),)),
        Variant(
            "Queen deep",
            "Queen",
            (("WORK = 700'000", "WORK = 1'400'000"), ("MOST_TRIES = 400", "MOST_TRIES = 800")),
        ),
        Variant("Surveyor hasty", "Surveyor", (("WORK = 200_000, 24_000", "WORK = 40_000, 6_000"),)),
        *astray("Greedy", 10),
        *astray("starter", 50),
    ),
    "tryangle": (
        *astray("Triumvir", 2, 15, 60),
        Variant(
            "Triumvir hasty",
            "Triumvir",
            (("OWN_TRIES = 450, OPPONENT_TRIES = 150", "OWN_TRIES = 60, OPPONENT_TRIES = 20"),),
        ),
        Variant("Triumvir near", "Triumvir", (("HORIZON = 6;", "HORIZON = 3;"),)),
        Variant(
            "Triumvir deep",
            "Triumvir",
            (("HORIZON = 6;", "HORIZON = 8;"), ("OWN_TRIES = 450", "OWN_TRIES = 700")),
        ),
        Variant("Weaver few", "Weaver", (("most_units = 40", "most_units = 16"),)),
        *astray("starter", 40),
    ),
    "yavalath": (
        Variant("Keystone 25ms", "Keystone", (("TURN_S = 0.055", "TURN_S = 0.025"),)),
        _QUICK_KEYSTONE,
        Variant("Keystone 4ms", "Keystone", (("TURN_S = 0.055", "TURN_S = 0.004"),)),
        Variant("Keystone 2ms", "Keystone", (("TURN_S = 0.055", "TURN_S = 0.002"),)),
        Variant(
            "Keystone shallow",
            "Keystone",
            (
                ("TURN_S = 0.055", "TURN_S = 0.010"),
                ("LEAF_THREATS = 4", "LEAF_THREATS = 0"),
                ("ROOT_THREATS = 12", "ROOT_THREATS = 0"),
            ),
        ),
        *astray("Keystone", 2, 6, 12, 30, base=_QUICK_KEYSTONE),
        *astray("Planner", 3, 10),
        *astray("Watcher", 5),
    ),
    "tron": (
        *astray("Divider", 1, 2, 5, 10, 20, 30),
        *astray("Sprinter", 2, 5, 10),
        *astray("Roamer", 2, 5, 10),
        *astray("Hugger", 5),
        *astray("starter", 20),
    ),
    "battlegrounds": (
        *astray("Warden", 2, 5, 10, 20, 40),
        Variant("Warden near", "Warden", (("AHEAD = 8 ", "AHEAD = 2 "), ("FINALISTS = 24", "FINALISTS = 6"))),
        Variant("Warden at home", "Warden", (("PATROL = (40, 900)", "PATROL = (9_000, 9_001)"),)),
        Variant("Warden unruly", "Warden", (("CROWD = 6", "CROWD = 0"),)),
        Variant("Warden mild", "Warden", (("FOE_PAIN = 0.8, 1.5, 0.5, 1.0", "FOE_PAIN = 0.8, 1.5, 0.5, 0.0"),)),
        *astray("Shepherd", 3, 10, 25),
        *astray("starter", 5, 20),
    ),
}
"""Game -> its variants, in no order of strength."""


def names(game: Game) -> tuple[str, ...]:
    """All twenty bots of a game: its house bots, then the variants."""
    return (*(bot.name for bot in house_bots(game)), *(variant.name for variant in VARIANTS[game.id]))


def is_plain(game: Game, name: str) -> bool:
    """Whether a bot of Ants or TryAngle Catch leaves nothing to chance: the same input gives the same reply."""
    strays = {variant.name for variant in VARIANTS[game.id] if variant.astray}
    return game.id in {"ants", "tryangle"} and name not in strays


def house_source(game: Game, name: str) -> str:
    """A house bot's file. Raises: StopIteration for a name that is not one."""
    return bot_file(game, _file(game, name)).read_text()


def language_of(game: Game, variant: Variant) -> str:
    """The id of the language that a variant is written in."""
    return by_ending(PurePath(_file(game, variant.of)).suffix).id


def source_of(game: Game, variant: Variant) -> str:
    """A variant's source, in one file. Raises: NotInSource."""
    text = house_source(game, variant.of)
    for old, new in variant.changes:
        if text.count(old) != 1:
            raise NotInSource(f"expected {old!r} once in {variant.of}; got it {text.count(old)} times")
        text = text.replace(old, new)
    if not variant.astray:
        return text
    if game.harness:
        return text + PYTHON_CLASS.format(name=_only(CLASS, text, variant), astray=variant.astray)
    language = language_of(game, variant)
    foolish = FOOLISH[game.id, language]
    if language == "cpp":
        reply = _only(CPP_REPLY, text, variant)
        text = CPP_REPLY.sub(lambda _: f"std::cout << or_astray({reply}) << std::endl;", text)
        return CPP_SPEAKS.format(astray=variant.astray, foolish=foolish) + text
    hears = PYTHON_HEARS if "_sys.stdin" in foolish else ""
    return hears + PYTHON_SPEAKS.format(astray=variant.astray, foolish=foolish) + text


def code_of(game: Game, name: str) -> tuple[str, str]:
    """(source, ending of the file) of any of the twenty bots."""
    made = next((variant for variant in VARIANTS[game.id] if variant.name == name), None)
    if made is None:
        return house_source(game, name), PurePath(_file(game, name)).suffix
    return source_of(game, made), PurePath(_file(game, made.of)).suffix


def _only(pattern: re.Pattern[str], text: str, variant: Variant) -> str:
    found = pattern.findall(text)
    if len(found) != 1:
        raise NotInSource(f"expected {pattern.pattern} once in {variant.of}; got it {len(found)} times")
    return str(found[0])


def _file(game: Game, name: str) -> str:
    return next(bot.file for bot in house_bots(game) if bot.name == name)
