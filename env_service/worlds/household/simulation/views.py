"""Draws states of one scene: pictures for whoever asks, and the instance pictures of sight."""

from __future__ import annotations

from env_service.worlds.household.presentation import Presentation
from env_service.worlds.household.render.interface import Camera, Channel, Frames, Renderer
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.segmentation import Legend
from env_service.worlds.household.state import HouseState


class Views:
    """The eyes on one scene. Older states than the last can be drawn too: it is only a matter of
    how much differs."""

    def __init__(self, scene: SceneSpec, pictures: Renderer, sight: Renderer) -> None:
        """`sight` has to be exact to the pixel on every machine; `pictures` need not."""
        self._presentation = Presentation(scene)
        self._pictures, self._sight = pictures, sight
        self._legend: tuple[tuple[str, ...], Legend] | None = None

    @property
    def in_color(self) -> bool:
        """Whether there are pictures at all, not only sight."""
        return self._pictures.name != "none"

    def draw(self, state: HouseState, camera: Camera, channels: Channel) -> Frames:
        """A picture of a state."""
        return self._pictures.render(self._presentation.graph(state), camera, channels)

    def look(self, state: HouseState, camera: Camera) -> Frames:
        """Instances and depth of a state, for sight."""
        channels = Channel.INSTANCES | Channel.DEPTH
        return self._sight.render(self._presentation.graph(state), camera, channels)

    def object_of(self, instance: int) -> str | None:
        """The id of the object of an instance number; None for structure and for NOTHING."""
        return self._presentation.object_of(instance)

    def legend(self, state: HouseState) -> Legend:
        """What the instance numbers of a state's pictures stand for."""
        keys = tuple(state.objects)
        if self._legend is None or self._legend[0] != keys:
            self._legend = (keys, self._read(state))
        return self._legend[1]

    def _read(self, state: HouseState) -> Legend:
        number = self._presentation.instance_of
        names = {number(key): key for key in state.objects}
        types = {number(key): item.spec.type for key, item in state.objects.items()}
        kinds = {number(spec.name): spec.type for spec in state.scene.structure}
        return Legend(names | kinds, types | kinds)
