"""Tricks: cards that only their holder sees, until the match is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from hexarena.games.contract import (
    BadReply,
    BotFault,
    Clock,
    Game,
    HouseBot,
    IllegalMove,
    Json,
    League,
    Note,
    Outcome,
    Seat,
    quote,
)
from hexarena.games.text import small_int

HAND = 3
MOST_CARDS = 20


@dataclass(frozen=True, slots=True)
class State:
    """`hands`: seat -> its cards. `pack`: seat -> what it will draw. `played`, `drawn`: by whom, in the last trick.

    `out`: seat -> the trick in which it went out. `why`: the kind of fault of those who went out in the last one.
    """

    hands: tuple[tuple[int, ...], ...]
    pack: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    out: tuple[int | None, ...]
    trick: int = 0
    played: tuple[tuple[Seat, int], ...] = ()
    winner: Seat | None = None
    drawn: tuple[tuple[Seat, int], ...] = ()
    why: tuple[tuple[Seat, str], ...] = ()

    def inside(self) -> list[Seat]:
        """Who is in the match."""
        return [seat for seat, trick in enumerate(self.out) if trick is None]


class TricksRules:
    """Rules, text and frames."""

    # --- Rules ---

    def setup(self, seats: int, seed: int, league: int, cards: int = 8, deal: str = "shuffled") -> State:
        """`cards` for each seat: of one shuffled pack, or the same for all."""
        if not HAND <= cards <= MOST_CARDS:
            raise ValueError(f"expected {HAND} to {MOST_CARDS} cards; got {cards}")
        random = Random(seed)
        numbers = list(range(1, seats * cards + 1))
        random.shuffle(numbers)
        dealt = [tuple(numbers[seat::seats]) for seat in range(seats)]
        if deal == "equal":
            dealt = dealt[:1] * seats
        hands, pack = tuple(one[:HAND] for one in dealt), tuple(one[HAND:] for one in dealt)
        return State(hands, pack, (0,) * seats, (None,) * seats)

    def to_act(self, state: State) -> Sequence[Seat]:
        """All who are in the match, until no cards are left, or one seat."""
        inside = state.inside()
        return inside if len(inside) > 1 and state.hands[inside[0]] else ()

    def step(self, state: State, moves: Mapping[Seat, int], faults: Mapping[Seat, BotFault]) -> State:
        """The highest card takes the trick; equal ones leave it to nobody. Then everybody draws a card."""
        played = {seat: card for seat, card in sorted(moves.items()) if seat not in faults}
        best = [seat for seat, card in played.items() if card == max(played.values())]
        hands, pack, drawn = list(state.hands), list(state.pack), {}
        for seat, card in played.items():
            kept = [other for other in hands[seat] if other != card]
            if pack[seat]:
                drawn[seat], pack[seat] = pack[seat][0], pack[seat][1:]
                kept.append(drawn[seat])
            hands[seat] = tuple(kept)
        winner = best[0] if len(best) == 1 else None
        return replace(
            state,
            hands=tuple(hands),
            pack=tuple(pack),
            points=tuple(points + (seat == winner) for seat, points in enumerate(state.points)),
            out=tuple(state.trick + 1 if seat in faults else was for seat, was in enumerate(state.out)),
            trick=state.trick + 1,
            played=tuple(played.items()),
            winner=winner,
            drawn=tuple(drawn.items()),
            why=tuple((seat, fault.kind) for seat, fault in sorted(faults.items())),
        )

    def notes(self, state: State) -> Sequence[Note]:
        """Why a seat went out."""
        return [Note(seat, f"out of the match: {kind}", "fault") for seat, kind in state.why]

    def left(self, state: State) -> Mapping[Seat, int]:
        """Who went out is behind all who did not, and behind who went out later."""
        went = [(seat, trick) for seat, trick in enumerate(state.out) if trick is not None]
        return {seat: sum(other is None or other > trick for other in state.out) for seat, trick in went}

    def outcome(self, state: State) -> Outcome | None:
        """Most tricks win."""
        if self.to_act(state):
            return None
        inside, places = state.inside(), dict(self.left(state))
        for seat in inside:
            places[seat] = sum(state.points[other] > state.points[seat] for other in inside)
        best = sorted(seat for seat, place in places.items() if place == 0)
        reason = f"seat {best[0]} has the most tricks" if len(best) == 1 else "the best seats have equally many tricks"
        if len(inside) < 2:
            reason = f"all but seat {inside[0]} are out" if inside else "all seats are out"
        return Outcome(tuple(places[seat] for seat in range(len(state.out))), state.points, reason)

    # --- Text ---

    def prompt(self, state: State, seat: Seat, first: bool) -> str:
        """First who plays, then in each turn the hand."""
        opening = f"{len(state.hands)} {seat}\n" if first else ""
        return f"{opening}{' '.join(map(str, state.hands[seat]))}\n"

    def tell(self, state: State, seat: Seat) -> str:
        """The trick that was played: a card for each seat, 0 for one that is out."""
        cards = dict(state.played)
        return " ".join(str(cards.get(other, 0)) for other in range(len(state.hands))) + "\n"

    def parse(self, state: State, seat: Seat, reply: str) -> int:
        """A card of the hand. Raises: BadReply, IllegalMove."""
        card = small_int(reply) if reply.isascii() and reply.isdigit() else None
        if card is None:
            raise BadReply(f"expected the number of a card, got {quote(reply)}")
        if card not in state.hands[seat]:
            raise IllegalMove(f"expected one of your cards, {', '.join(map(str, state.hands[seat]))}; got {card}")
        return card

    # --- Frames: what everybody sees, and what not ---

    def header(self, state: State) -> Json:
        """The size of a hand, and how many cards each seat draws."""
        return {"hand": len(state.hands[0]), "draws": len(state.pack[0])}

    def hidden_header(self, state: State) -> Mapping[Seat | None, Json]:
        """Each seat sees its hand; nobody sees the pack."""
        return {**dict(enumerate(state.hands)), None: state.pack}

    def frame(self, state: State) -> Mapping[str, Json]:
        """Who played what, and who took it."""
        return {"played": state.played, "winner": state.winner}

    def hidden_frame(self, state: State) -> Mapping[Seat | None, Json]:
        """Each seat sees the card that it drew."""
        return dict(state.drawn)


TRICKS = TricksRules()
GAME = Game(
    id="tricks",
    title="Tricks",
    summary="Play your high cards when they take a trick, and your low ones when nothing can be won.",
    version="1",
    rules=TRICKS,
    protocol=TRICKS,
    replay=TRICKS,
    hidden=TRICKS,
    tell=TRICKS.tell,
    left=TRICKS.left,
    clock=Clock(first_s=1.0, turn_s=0.1),
    max_turns=MOST_CARDS,
    seats=(2, 3, 4),
    ladder_entrants=(3, 4, 2),
    leagues=(League("Bronze", "Boss"), League("Silver")),
    house_bots=(HouseBot("Boss", "boss.py", "Plays its highest card at once, while others save theirs."),),
    starters=("starter.py",),
    mirrored_seats=False,
    in_person=True,
    options={"cards": 8, "deal": ("shuffled", "equal")},
    topics=("hidden cards", "simultaneous turns"),
)
