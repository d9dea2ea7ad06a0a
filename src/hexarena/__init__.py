"""Hexarena, an open arena for game bots.

The parts lie at the top of the repository; in this folder are only links to them, so that a checkout imports what an
installed package imports: `hexarena.games`, `hexarena.backend`, … (docs/decisions/0022).
"""
