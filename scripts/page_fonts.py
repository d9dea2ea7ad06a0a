"""Makes the fonts that pages load first: `uv run --with brotli python scripts/page_fonts.py`.

They are the pages' fonts with the letters of English and the weights that pages use: half as large. For all other
letters a browser loads the whole font, which frontend/src/app.css names too.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).parents[1]
PACKAGES = ROOT / "frontend/node_modules/@fontsource-variable"
TO = ROOT / "frontend/src/fonts"
FONTS = {"text": "atkinson-hyperlegible-next", "mono": "atkinson-hyperlegible-mono"}
WEIGHTS = (400, 800)
LETTERS = [*range(0x20, 0x7F), *map(ord, "\xa0±·×½–—‘’“”…−")]
"""`unicode-range` in frontend/src/app.css has the same."""


def main() -> None:
    """Writes both, with the licences."""
    TO.mkdir(exist_ok=True)
    for name, package in FONTS.items():
        whole = TTFont(PACKAGES / package / f"files/{package}-latin-wght-normal.woff2")
        lighter = BytesIO()
        instantiateVariableFont(whole, {"wght": WEIGHTS}).save(lighter)
        font = TTFont(lighter)
        subsetter = Subsetter(Options(layout_features=["*"], notdef_outline=True))
        subsetter.populate(unicodes=LETTERS)
        subsetter.subset(font)
        font.flavor = "woff2"
        font.save(TO / f"{name}.woff2")
    licences = [(PACKAGES / package / "LICENSE").read_text() for package in FONTS.values()]
    (TO / "LICENSE").write_text("\n".join(licences))


if __name__ == "__main__":
    main()
