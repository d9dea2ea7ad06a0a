"""Makes the fonts of certificates: `uv run --with brotli python scripts/certificate_fonts.py NOTO`.

The pages' font is one variable file for each range of letters. A PDF needs a file for each weight, with all letters.
NOTO is the folder of NotoSans-Regular.ttf and NotoSans-Bold.ttf, which Debian's package fonts-noto-core has.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.merge import Merger
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "frontend/node_modules/@fontsource-variable/atkinson-hyperlegible-next"
TO = ROOT / "backend/events/fonts"
WEIGHTS = {"regular": 400, "bold": 700}
RANGES = (
    *((0x20, 0x24F), (0x2B0, 0x2FF), (0x370, 0x52F), (0x1E00, 0x1FFF), (0x2010, 0x2027), (0x2030, 0x205E)),
    *((0x20A0, 0x20BF), (0x2116, 0x2122)),
)
"""Of Noto Sans: Latin with Vietnamese, Greek, Cyrillic, and signs; no marks by themselves, nothing invisible."""

NOTO_OWNERS = "Noto Sans: Copyright 2010-2020 Google LLC (https://github.com/notofonts)\n"


def main(noto: Path) -> None:
    """Writes two families, a file for each weight, and the licence, which is the same."""
    TO.mkdir(exist_ok=True)
    for name in WEIGHTS:
        font = TTFont(noto / f"NotoSans-{name.capitalize()}.ttf")
        # A PDF places each letter by itself: no ligatures, no hints.
        subsetter = Subsetter(Options(layout_features=[], hinting=False, notdef_outline=True))
        subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)])
        subsetter.subset(font)
        font.save(TO / f"noto-sans-{name}.ttf")
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
    (TO / "LICENSE").write_text(NOTO_OWNERS + (PACKAGE / "LICENSE").read_text())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
