"""What lies on the graphics card: meshes, textures, and the targets of a picture's size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from env_service.worlds.household.assets.material import Texture
from env_service.worlds.household.assets.mesh import Mesh

SRGB8 = 0x8C41
SAMPLES = 4
SHADOW_SIDE = 2048
LAYOUT = "3f 3f 2f"
NAMES = ("point", "normal", "uv")


class Store:
    """Meshes and textures, uploaded once each."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._meshes: WeakKeyDictionary[Mesh, tuple[Any, Any, dict[int, Any]]] = WeakKeyDictionary()
        self._textures: dict[str, Any] = {}
        self.white = context.texture((1, 1), 3, b"\xff\xff\xff", alignment=1)

    def mesh(self, mesh: Mesh, program: Any) -> Any:
        """A mesh's vertex array for a program."""
        known = self._meshes.get(mesh)
        if known is None:
            corners = np.concatenate([mesh.points, mesh.normals, mesh.uv], 1).astype("<f4")
            points = self._context.buffer(corners.tobytes())
            faces = self._context.buffer(mesh.faces.astype("<i4").tobytes())
            known = self._meshes[mesh] = (points, faces, {})
        points, faces, arrays = known
        found = arrays.get(program.glo)
        if found is None:
            taken = [(k, name) for k, name in enumerate(NAMES) if name in program]
            layout = " ".join(
                part if any(k == i for i, _ in taken) else _skipped(part)
                for k, part in enumerate(LAYOUT.split())
            )
            content = [(points, layout, *(name for _, name in taken))]
            found = arrays[program.glo] = self._context.vertex_array(program, content, faces)
        return found

    def texture(self, texture: Texture) -> Any:
        """A texture with its mip maps, decoded from sRGB when sampled."""
        found = self._textures.get(texture.key)
        if found is None:
            high, wide = texture.pixels.shape[:2]
            found = self._context.texture(
                (wide, high), 3, texture.pixels.tobytes(), alignment=1, internal_format=SRGB8
            )
            found.build_mipmaps()
            found.filter = (self._context.LINEAR_MIPMAP_LINEAR, self._context.LINEAR)
            self._textures[texture.key] = found
        return found


def _skipped(part: str) -> str:
    return f"{int(part[0]) * 4}x"


@dataclass(frozen=True, eq=False)
class Targets:
    """Framebuffers of one picture size.

    Attributes:
        facts: instance (int32), depth (float32, metres) and normal of solid surfaces.
        front: instance of the front-most surface, glass included.
        open, smooth: ambient occlusion, before and after smoothing.
        light: linear colours, several samples a pixel; light_flat: one.
        shown: bytes.
    """

    facts: Any
    front: Any
    open: Any
    smooth: Any
    light: Any
    light_flat: Any
    shown: Any

    @staticmethod
    def of(context: Any, width: int, height: int) -> Targets:
        """New targets."""
        size = (width, height)

        def flat(components: int, kind: str) -> Any:
            texture = context.texture(size, components, dtype=kind)
            texture.filter = (context.NEAREST, context.NEAREST)
            return texture

        def buffer(*textures: Any) -> Any:
            return context.framebuffer(list(textures))

        facts = context.framebuffer(
            [flat(1, "i4"), flat(1, "f4"), flat(4, "f2")], context.depth_renderbuffer(size)
        )
        front = context.framebuffer(
            [flat(1, "i4"), flat(1, "f4"), flat(4, "f2")], context.depth_renderbuffer(size)
        )
        light = context.framebuffer(
            [context.renderbuffer(size, 4, samples=SAMPLES, dtype="f2")],
            context.depth_renderbuffer(size, samples=SAMPLES),
        )
        return Targets(
            facts,
            front,
            buffer(flat(1, "f4")),
            buffer(flat(1, "f4")),
            light,
            buffer(flat(4, "f2")),
            buffer(flat(4, "f1")),
        )

    def release(self) -> None:
        """Gives the memory back."""
        for target in vars(self).values():
            for attachment in (*target.color_attachments, target.depth_attachment):
                if attachment is not None:
                    attachment.release()
            target.release()
