"""Names: which are refused, and which people may take for each other."""

from __future__ import annotations

import unicodedata

import pytest

from hexarena.backend.accounts.names import clean_name, key_of, reserved_by
from hexarena.backend.errors import Invalid


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bоt", "bot"),  # a Cyrillic о
        ("Hexаrena", "hexarena"),
        ("barn", "bam"),
        ("lamBot", "IamBot"),
        ("bot 0", "Bot O"),
        ("bot1", "botl"),
        ("ΟΔΥΣΣΕΥΣ", "Οδυσσεύσ".replace("ύ", "υ")),
        ("Straße", "STRASSE"),
        ("ﬁsh", "fish"),
    ],
)
def test_names_that_look_alike_have_one_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("bot 1", "bot 2"), ("ants", "aunts"), ("a b", "ab"), ("日本", "日木"), ("Müller", "Muller")]
)
def test_names_that_look_different_have_two(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


def test_every_character_stands_for_itself_or_for_one_that_does() -> None:
    """Else two names could have one key in one direction only."""
    from hexarena.backend.accounts import names

    reached = [(one, by) for one, by in names._prototypes().items() if unicodedata.normalize("NFD", one) == one]
    assert len(reached) > 5000
    for one, prototype in reached:
        assert names._skeleton(prototype) == names._skeleton(one), (one, prototype)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("ADMlN", "admin"),
        ("Hexаrena", "Hexarena"),
        ("Quееn", "Queen"),
        ("starter", "starter"),
        ("guest 12", "guest"),
        ("Guest", "guest"),
        ("you", "you"),
        ("deleted", "deleted"),
    ],
)
def test_what_the_arena_is_called_is_reserved(name: str, near: str) -> None:
    assert reserved_by(name) == near


@pytest.mark.parametrize("name", ["mine", "guesthouse", "Ada", "Zug um Zug"])
def test_other_names_are_free(name: str) -> None:
    assert reserved_by(name) is None


@pytest.mark.parametrize("name", ["", " ", "_", "a" * 25, "a\u200db", "a\nb\x00", "<b>", "a/b", "\u115f", "ͅa"])
def test_other_texts_are_no_names(name: str) -> None:
    with pytest.raises(Invalid, match="cannot be used"):
        clean_name(name)


def test_a_letter_that_stands_for_many_is_no_way_to_a_name_without_end() -> None:
    assert clean_name("\ufdfa" * 11)
    with pytest.raises(Invalid, match="cannot be used") as refused:
        clean_name("\ufdfa" * 12)
    assert "stand for 216 others" in str(refused.value.got)


def test_a_name_is_kept_tidy() -> None:
    assert clean_name("  Zug   um Zug ") == "Zug um Zug"
    assert clean_name("Mu\u0308ller") == "Müller"
