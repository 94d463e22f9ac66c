"""A renderer that draws nothing but remembers what it was asked for."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.render.interface import Camera, CameraPictures, Channel
from env_service.worlds.household.render.scene_graph import Lighting, Node, SceneGraph


class CanvasRenderer:
    """Grey pictures at once; with `blind`, none at all.

    Attributes:
        cameras: of all pictures so far.
        shown: the nodes of all pictures so far, by key.
        lightings: of all pictures so far.
    """

    name = "canvas"

    def __init__(self, *, blind: bool = False) -> None:
        self.cameras: list[Camera] = []
        self.shown: list[dict[str, Node]] = []
        self.lightings: list[Lighting] = []
        self._blind = blind

    def render(self, graph: SceneGraph, camera: Camera, channels: Channel) -> CameraPictures:
        assert channels == Channel.COLOR
        self.cameras.append(camera)
        self.shown.append(dict(graph.nodes))
        self.lightings.append(graph.lighting)
        if self._blind:
            return CameraPictures()
        return CameraPictures(color=np.full((camera.height, camera.width, 3), 128, np.uint8))

    def close(self) -> None:
        """Nothing to give back."""
