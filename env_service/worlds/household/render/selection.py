"""Which renderer draws: by name, by the environment, or by what the machine has."""

import os

from env_service.worlds.household.render.gl.context import graphics_card
from env_service.worlds.household.render.gl.renderer import GlRenderer
from env_service.worlds.household.render.interface import Camera, CameraPictures, Channel, Renderer
from env_service.worlds.household.render.mirrors import MirroringRenderer
from env_service.worlds.household.render.scene_graph import SceneGraph
from env_service.worlds.household.render.soft.renderer import SoftRenderer

VARIABLE = "HOUSEGUEST_RENDERER"
"""The environment variable that names a renderer where the caller names none."""

CHOICES = ("auto", "soft", "gl", "none")


class NoPicturesError(RuntimeError):
    """A picture was requested while pictures are switched off."""


class BlindRenderer:
    """Computes what is visible where, but draws no pictures: instances, depth and normals as in
    `soft`, no colours."""

    def __init__(self) -> None:
        self._soft = SoftRenderer()

    @property
    def name(self) -> str:
        """ "none"."""
        return "none"

    def render(self, graph: SceneGraph, camera: Camera, channels: Channel) -> CameraPictures:
        """See `interface.Renderer`; Channel.COLOR raises NoPicturesError."""
        if Channel.COLOR in channels:
            raise NoPicturesError(
                f"pictures are switched off; set {VARIABLE} to soft, or leave it unset"
            )
        return self._soft.render(graph, camera, channels)

    def close(self) -> None:
        """See `interface.Renderer`."""
        self._soft.close()


def choose(name: str | None = None) -> Renderer:
    """A new renderer. It draws reflections into the mirrors of a scene graph.

    Args:
        name: "soft" for the software renderer; "gl" for OpenGL; "none" for neither, see
            BlindRenderer; "auto" for OpenGL where there is a graphics card for it, else "soft".
            None takes what the environment's HOUSEGUEST_RENDERER says, "auto" if it says nothing.

    Raises:
        ValueError: no such renderer.
        NoDisplayError: "gl" was requested, but is not available; the message says why.
    """
    wanted = name if name is not None else os.environ.get(VARIABLE, "") or "auto"
    if wanted not in CHOICES:
        raise ValueError(f"a renderer is one of {', '.join(CHOICES)}, not {wanted!r}")
    if wanted == "auto":
        wanted = "gl" if graphics_card() is not None else "soft"
    if wanted == "none":
        return BlindRenderer()
    return MirroringRenderer(GlRenderer() if wanted == "gl" else SoftRenderer())
