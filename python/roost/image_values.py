"""What people call an image, as the bytes of a file."""

from __future__ import annotations

import io
import os
from typing import Any, List, NamedTuple, Sequence, Tuple

from .png import png_bytes

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF8", ".gif"),
    (b"BM", ".bmp"),
    (b"<svg", ".svg"),
    (b"<?xml", ".svg"),
)
_CHANNELS = (1, 3, 4)


class ImageFile(NamedTuple):
    content: bytes
    suffix: str


def image_file(image: Any) -> ImageFile:
    """Of a path, the bytes of an image file, a PIL image, a matplotlib figure, or an array: of
    numpy or torch, or lists, of height x width, or with 1, 3 or 4 channels first or last. Integers
    are 0 to 255, other numbers 0 to 1. ValueError or TypeError for anything else."""
    if isinstance(image, (str, os.PathLike)):
        with open(image, "rb") as file:
            return ImageFile(file.read(), os.path.splitext(os.fspath(image))[1].lower())
    if isinstance(image, (bytes, bytearray, memoryview)):
        return _known_file(bytes(image))
    if hasattr(image, "figure") and not hasattr(image, "savefig"):  # axes of matplotlib
        image = image.figure
    if hasattr(image, "savefig"):
        return _saved(image.savefig)
    if hasattr(image, "getbands") and hasattr(image, "save"):  # PIL
        if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA", "I"):
            image = image.convert("RGB")
        return _saved(image.save)
    return ImageFile(_array_as_png(image), ".png")


def _known_file(content: bytes) -> ImageFile:
    for magic, suffix in _MAGIC:
        if content.startswith(magic):
            return ImageFile(content, suffix)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return ImageFile(content, ".webp")
    raise ValueError(
        "these bytes are not those of an image file (PNG, JPEG, GIF, BMP, WebP or SVG). Pixels are "
        "given as an array of height x width x channels."
    )


def _saved(save: Any) -> ImageFile:
    out = io.BytesIO()
    save(out, format="png")
    return ImageFile(out.getvalue(), ".png")


def _array_as_png(image: Any) -> bytes:
    is_tensor = hasattr(image, "detach")
    if is_tensor:
        image = image.detach().cpu()
        if str(image.dtype) == "torch.bfloat16":
            image = image.float()
    array = _as_numpy(image)
    if array is not None:
        return _numpy_as_png(array, is_tensor)
    nested = image.tolist() if hasattr(image, "tolist") else image
    return _lists_as_png(nested, is_tensor)


def _as_numpy(image: Any) -> Any:
    """An array of numpy, where that is there; nobody needs it for this."""
    try:
        import numpy
    except ImportError:
        return None
    try:
        return numpy.asarray(image)
    except (TypeError, ValueError, RuntimeError):
        return None


def _numpy_as_png(array: Any, channels_first: bool) -> bytes:
    import numpy

    height, width, channels, is_first = _layout(array.shape, channels_first)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"an image is made of numbers, not of {array.dtype}")
    if is_first:
        array = numpy.moveaxis(array, 0, -1)
    if array.dtype.kind == "b":
        array = array * numpy.uint8(255)
    elif array.dtype.kind == "f":
        array = numpy.nan_to_num(array.astype("float64"), nan=0.0, posinf=1e9, neginf=0.0)
        array = numpy.rint(array * (255 if array.max() <= 1 else 1))
    pixels = numpy.clip(array, 0, 255).astype(numpy.uint8)
    return png_bytes(width, height, channels, numpy.ascontiguousarray(pixels).tobytes())


def _lists_as_png(rows: Any, channels_first: bool) -> bytes:
    height, width, channels, is_first = _layout(_shape(rows), channels_first)
    if is_first:
        flat = [
            rows[channel][y][x]
            for y in range(height)
            for x in range(width)
            for channel in range(channels)
        ]
    else:
        flat = _flattened(rows)
    return png_bytes(width, height, channels, bytes(_as_bytes(flat)))


def _layout(shape: Sequence[int], channels_first: bool) -> Tuple[int, int, int, bool]:
    """Height, width, channels, and whether the channels come first."""
    if len(shape) == 2 and 0 not in shape:
        return shape[0], shape[1], 1, False
    if len(shape) == 3 and 0 not in shape:
        first, last = shape[0] in _CHANNELS, shape[2] in _CHANNELS
        if first and (channels_first or not last):
            return shape[1], shape[2], shape[0], True
        if last:
            return shape[0], shape[1], shape[2], False
    more = " Several images are logged one by one." if len(shape) == 4 else ""
    raise ValueError(
        f"an image is height x width, or that with 1, 3 or 4 channels, not {tuple(shape)}.{more}"
    )


def _shape(rows: Any) -> List[int]:
    shape: List[int] = []
    while isinstance(rows, (list, tuple)):
        shape.append(len(rows))
        if not rows:
            break
        rows = rows[0]
    if not shape:
        raise TypeError(
            f"{type(rows).__name__} is not an image: give a path, the bytes of an image file, a "
            "PIL image, a matplotlib figure, or an array"
        )
    return shape


def _flattened(nested: Any) -> List[Any]:
    if not isinstance(nested, (list, tuple)):
        return [nested]
    return [number for item in nested for number in _flattened(item)]


def _as_bytes(numbers: List[Any]) -> List[int]:
    is_fraction = any(isinstance(number, float) for number in numbers)
    top = max((n for n in numbers if n == n), default=0)
    scale = 255 if all(isinstance(n, bool) for n in numbers) or is_fraction and top <= 1 else 1
    return [0 if n != n else min(255, max(0, round(min(n, 1e9) * scale))) for n in numbers]
