"""Which bots the house enters in each game: known without a database, so that `hexarena match` can name them."""

from __future__ import annotations

from hexarena.games.contract import Game, HouseBot

STARTER_BOT = "starter"
"""The house bot that plays the game's starter code."""


def house_bots(game: Game) -> tuple[HouseBot, ...]:
    """The manifest's, and the first starter under the name by which check matches find it."""
    if any(bot.name == STARTER_BOT for bot in game.house_bots):
        return game.house_bots
    starter = HouseBot(STARTER_BOT, game.starters[0], "The code that you find in the editor.")
    return (starter, *game.house_bots)
