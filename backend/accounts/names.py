"""Names of users and bots: what they may consist of, and which are too near to each other.

Two names are too near if people may take one for the other: their keys are equal. A key is the skeleton of UTS 39, by
Unicode's table of confusable characters, without regard to case, and with `i` like `l` and `0` like `o`, as capitals
look so.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from precis_i18n import get_profile

from hexarena.backend.errors import Invalid
from hexarena.games.catalogue import all_games
from hexarena.games.house import house_bots

INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0")
"""Invisible characters that Unicode counts as letters."""
GUEST = re.compile(r"guest[ ._+-]*[\do]*")
"""The keys of what the arena itself calls guests."""
NAME = re.compile(r"[^\W_](?:[\w .+-]{0,22}[^\W_])?")
HOUSE = "Hexarena"
"""The owner of the house bots."""
RESERVED = (
    HOUSE, "admin", "administrator", "anonymous", "deleted", "guest", "house", "moderator", "nobody", "organiser",
    "organizer", "owner", "root", "staff", "support", "system", "worker", "you", "your code",
)  # fmt: skip
MOST_ROUNDS = 5
"""A prototype may have parts that look like something else again."""
_NICKNAME = get_profile("NicknameCasePreserved")
_MARK = "\u200e"
"""The table has it around characters that are written from right to left."""
_LAST_FOLDS = str.maketrans({"i": "1", "0": "o"})


KEY_LETTERS = 200
"""Of a name's key, as many as a row holds: a single letter may stand for eighteen."""


def clean_name(name: str) -> str:
    """A bot's or user's name as it is stored. Raises: Invalid."""
    expected = "1 to 24 letters, digits, blanks or . _ + - that begin and end with a letter or digit"
    tidy = " ".join(unicodedata.normalize("NFC", name).split())
    if not NAME.fullmatch(tidy) or INVISIBLE & set(tidy):
        raise Invalid("This name cannot be used.", expected=expected, got=repr(name[:60]))
    try:
        _NICKNAME.enforce(tidy)
    except UnicodeEncodeError as error:
        got = f"{name[:60]!r}: {error.reason.rpartition('/')[2].replace('_', ' ')}"
        raise Invalid("This name cannot be used.", expected=expected, got=got) from None
    if len(key_of(tidy)) > KEY_LETTERS:
        got = f"{name[:60]!r}, whose letters stand for {len(key_of(tidy))} others"
        raise Invalid("This name cannot be used.", expected=expected, got=got)
    return tidy


def key_of(name: str) -> str:
    """Equal for names that are too near to each other."""
    return _skeleton(unicodedata.normalize("NFKC", name).casefold()).casefold().translate(_LAST_FOLDS)


def reserved_by(name: str) -> str | None:
    """The reserved word or house bot that this name is too near to, if any."""
    key = key_of(name)
    return "guest" if GUEST.fullmatch(key) else _reserved().get(key)


def too_near(name: str, other: str) -> Invalid:
    """The error for a name that people may take for another."""
    same = name.casefold() == other.casefold()
    detail = (
        "This name is taken." if same else f"This name is too near to “{other}”: people may take one for the other."
    )
    return Invalid(detail, expected="another name", got=name)


@lru_cache(maxsize=1)
def _reserved() -> Mapping[str, str]:
    """Key -> name."""
    names = [*RESERVED, *(bot.name for game in all_games().values() for bot in house_bots(game))]
    return {key_of(name): name for name in reversed(names)}


def _skeleton(text: str) -> str:
    """UTS 39, section 4: equal for texts that look alike."""
    prototypes = _prototypes()
    skeleton = unicodedata.normalize("NFD", text)
    for _ in range(MOST_ROUNDS):
        before = skeleton
        skeleton = unicodedata.normalize("NFD", "".join(prototypes.get(one, one) for one in before))
        if skeleton == before:
            break
    return skeleton


@lru_cache(maxsize=1)
def _prototypes() -> Mapping[str, str]:
    """Character -> what represents all that look like it.

    The library keeps Unicode's pairs in both directions. Of characters, the first of each connected group stands for
    it; a sequence, like `rn` for `m`, always stands for the character.
    """
    table = json.loads(files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8"))
    parent: dict[str, str] = {}

    def root(one: str) -> str:
        while (above := parent.setdefault(one, one)) != one:
            one = above
        return one

    sequences: dict[str, str] = {}
    for marked, likes in table.items():
        one = marked.strip(_MARK)
        for like in likes:
            other = like["c"].strip(_MARK)
            if len(one) == len(other) == 1:
                first, second = sorted((root(one), root(other)))
                parent[second] = first
            elif len(one) == 1:
                sequences[one] = other
    standing_for = {one: root(one) for one in parent}
    return standing_for | {
        one: "".join(standing_for.get(part, part) for part in sequence) for one, sequence in sequences.items()
    }
