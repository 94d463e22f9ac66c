"""Materials of surfaces, as the renderer needs them."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Color = tuple[float, float, float]
"""Red, green and blue, sRGB-encoded, each in [0, 1]."""


class Texture:
    """A picture that repeats over a surface.

    Attributes:
        pixels: uint8 [H, W, 3], sRGB; row 0 is at v = 0. H and W are powers of two.
        key: a digest of the pixels, for caches.
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise ValueError(f"a texture is uint8 [H, W, 3], not {pixels.dtype} {pixels.shape}")
        if any(extent & (extent - 1) for extent in pixels.shape[:2]):
            raise ValueError(f"a texture's sides are powers of two, not {pixels.shape[:2]}")
        self.pixels = np.ascontiguousarray(pixels)
        self.pixels.setflags(write=False)
        shape = repr(self.pixels.shape).encode()
        self.key = hashlib.blake2b(shape + self.pixels.tobytes(), digest_size=12).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Texture) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class Material:
    """How a surface looks.

    Attributes:
        color: base colour, multiplied with the texture if there is one.
        texture: a picture over the surface, by the mesh's texture coordinates.
        opacity: 1 for solid; less is drawn as tinted glass over what lies behind.
        gloss: strength of highlights and of the sheen at grazing angles, in [0, 1].
        metal: how much it mirrors the room in its base colour, in [0, 1].
        glow: light that it emits, in multiples of its colour; 0 for none.
        two_sided: drawn from behind too; for sheets (cloth, leaves, paper).
    """

    color: Color = (0.8, 0.8, 0.8)
    texture: Texture | None = field(default=None)
    opacity: float = 1.0
    gloss: float = 0.1
    metal: float = 0.0
    glow: float = 0.0
    two_sided: bool = False
