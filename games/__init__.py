"""The games: pure rules behind one door (`games.contract`), played by one referee (`games.referee`).

A folder here with a `GAME` manifest is a game; being there is all it takes (`games.catalogue`).
"""
