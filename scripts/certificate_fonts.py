"""Makes the fonts of certificates from those of the pages: `uv run --with brotli python scripts/certificate_fonts.py`.

The pages' font is one variable file for each range of letters. A PDF needs a file for each weight, with all letters.
"""

from __future__ import annotations

from pathlib import Path

from fontTools.merge import Merger
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "frontend/node_modules/@fontsource-variable/atkinson-hyperlegible-next"
TO = ROOT / "backend/events/fonts"
WEIGHTS = {"regular": 400, "bold": 700}


def main() -> None:
    """Writes a file for each weight, and the licence."""
    TO.mkdir(exist_ok=True)
    for name, weight in WEIGHTS.items():
        parts = []
        for letters in ("latin", "latin-ext"):
            font = TTFont(PACKAGE / f"files/atkinson-hyperlegible-next-{letters}-wght-normal.woff2")
            font.flavor = None
            part = TO / f"{name}-{letters}.ttf"
            instantiateVariableFont(font, {"wght": weight}).save(part)
            parts.append(part)
        merged = Merger().merge([str(part) for part in parts])
        merged.save(TO / f"atkinson-hyperlegible-next-{name}.ttf")
        for part in parts:
            part.unlink()
    (TO / "LICENSE").write_bytes((PACKAGE / "LICENSE").read_bytes())


if __name__ == "__main__":
    main()
