"""The games: pure rules behind one interface (`games.contract`), played by one referee (`games.referee`).

A folder here with a `GAME` manifest is a game; no registration is needed (`games.catalogue`).
"""
