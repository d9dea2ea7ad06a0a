"""`hexarena`, and `python -m hexarena.cli`: the referee at once, all other commands through `app`.

Other people's tools start the referee for each match, and loading the other commands takes longer than a match.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line."""
    if sys.argv[1:2] == ["referee"]:
        from hexarena.cli.referee.command import main as referee

        sys.exit(referee(sys.argv[2:]))
    from hexarena.cli.app import main as app

    app()


if __name__ == "__main__":
    main()
