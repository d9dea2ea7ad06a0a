"""Attacks on arenas that are started for them, on loopback: `make attack-web`.

Every attack is bounded in connections and seconds, and has a goal. Those on the web server alone are in modules with
`ATTACKS` (`__main__.MODULES`). Those by one person with many cookies need a whole arena; their modules have `NAME`,
`BEFORE`, `GOAL` and `run(base_url)` (`__main__.CROWDS`).
"""
