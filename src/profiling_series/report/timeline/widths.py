"""How wide a line of text is.

A page sets the words in its own font, which is not known here, so they are measured in a wide one: the
advances of DejaVu Sans, as matplotlib ships it (``FT2Font.load_char(code).linearHoriAdvance``).
"""

from __future__ import annotations

FONT_PX = 10.5
_UNITS_PER_EM = 2048

_CHARACTERS_OF: dict[int, str] = {
    409: "\u202f",
    563: "'",
    569: "ijl",
    604: "IJ",
    651: " ,.",
    690: "/:;\\|",
    721: "f",
    739: "-",
    799: "()[]",
    803: "t",
    821: "!",
    842: "r",
    942: '"',
    1024: "*_`–",
    1067: "s",
    1075: "z",
    1087: "?",
    1126: "c",
    1141: "L",
    1178: "F",
    1186: "k",
    1212: "vxy",
    1235: "P",
    1251: "TY",
    1253: "o",
    1255: "a",
    1260: "e",
    1294: "E",
    1298: "hnu",
    1300: "Sbdgpq",
    1303: "$0123456789{}µ",
    1343: "K",
    1401: "AV",
    1403: "XZ",
    1405: "B",
    1423: "R",
    1430: "C",
    1499: "U",
    1532: "N",
    1540: "H",
    1577: "D",
    1587: "G",
    1597: "&",
    1612: "OQ",
    1675: "w",
    1716: "#+<=>^~×→",
    1767: "M",
    1946: "%",
    1995: "m",
    2025: "W",
    2048: "@…",
}
_UNITS_OF = {char: units for units, chars in _CHARACTERS_OF.items() for char in chars}


def width_px(text: str) -> float:
    """Return how wide a line of text is, in pixels of the picture.

    Parameters
    ----------
    text : str
        One line. A character that is not in the table counts as a wide one.
    """
    return sum(_UNITS_OF.get(char, _UNITS_PER_EM) for char in text) * FONT_PX / _UNITS_PER_EM
