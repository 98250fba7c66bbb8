"""A stored figure as an image inside the page."""

from __future__ import annotations

import base64
import io
from contextlib import suppress
from pathlib import Path
from warnings import catch_warnings

from PIL import Image, UnidentifiedImageError

WIDTH = 800  # pixels, at most
COLOURS = 32
PIXELS = 50_000_000  # of a figure, at most; those that commands draw have a tenth
UNREADABLE = (
    *(OSError, SyntaxError, ValueError, MemoryError),
    *(UnidentifiedImageError, Image.DecompressionBombError, Image.DecompressionBombWarning),
)


def inside_page(picture: Path) -> str:
    """The address of an image that holds a figure with few colours; empty if it is unreadable."""
    with suppress(*UNREADABLE), catch_warnings(action="ignore"), Image.open(picture) as image:
        if image.width * image.height > PIXELS:
            return ""
        height = round(image.height * min(1.0, WIDTH / image.width))
        small = image.convert("RGB").resize((min(image.width, WIDTH), height))
        buffer = io.BytesIO()
        small.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
            buffer, "PNG", optimize=True
        )
        return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    return ""
