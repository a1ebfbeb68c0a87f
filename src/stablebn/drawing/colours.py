"""The colours of all pictures."""

from __future__ import annotations

# Colours of Okabe and Ito, which colour-blind readers can tell apart too.
BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7"
BLACK, GREY, PALE = "#000000", "#8C8C8C", "#D9D9D9"
INK, PAPER, BORDER, FILL = "#1A1A1A", "#FFFFFF", "#6B7885", "#F3F6F9"

WEAKEST, STRONGEST = (0x9E, 0xC3, 0xDD), (0x08, 0x35, 0x5C)
"""Of arcs, from the weakest to the strongest: from pale to dark, so that they can be told apart in grey, too."""


def shade(share: float) -> str:
    """The colour of an arc of this strength, from 0 for the weakest to 1 for the strongest.

    >>> shade(0), shade(1)
    ('#9EC3DD', '#08355C')
    """
    mixed = (round(low + (high - low) * share) for low, high in zip(WEAKEST, STRONGEST, strict=True))
    return "#" + "".join(f"{part:02X}" for part in mixed)
