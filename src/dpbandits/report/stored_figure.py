"""A stored figure as an image inside the page."""

from __future__ import annotations

import base64
import io
from contextlib import suppress
from pathlib import Path

from PIL import Image, UnidentifiedImageError

WIDTH = 800  # pixels, at most
COLOURS = 32


def inside_page(picture: Path) -> str:
    """The address of an image that holds a figure with few colours; empty if it is unreadable."""
    with suppress(OSError, UnidentifiedImageError, ValueError), Image.open(picture) as image:
        height = round(image.height * min(1.0, WIDTH / image.width))
        small = image.convert("RGB").resize((min(image.width, WIDTH), height))
        buffer = io.BytesIO()
        small.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
            buffer, "PNG", optimize=True
        )
        return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    return ""
