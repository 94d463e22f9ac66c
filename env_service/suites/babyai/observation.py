"""Shows the world to the agent: only what its grant names."""

from env_service.domain.observation import (
    Channel,
    Frame,
    ImageRole,
    Observation,
    ObservationRequest,
)
from env_service.worlds.babyai.description import describe_grid, describe_view
from env_service.worlds.babyai.world import BabyAiWorld


class BabyAiObserver:
    """Makes one episode's observations, and keeps the last image for the next one."""

    def __init__(self, granted: ObservationRequest, view: str) -> None:
        """``view`` is "full" or "partial"."""
        self._granted = granted
        self._partial = view == "partial"
        self._previous: Frame | None = None

    def observe(self, world: BabyAiWorld) -> Observation:
        """The agent's current view. Call it once for each observation."""
        text = self._describe(world) if self._granted.text else ""
        return Observation(text, self._frames(world))

    def _describe(self, world: BabyAiWorld) -> str:
        return describe_view(world.view()) if self._partial else describe_grid(world.snapshot())

    def _frames(self, world: BabyAiWorld) -> tuple[Frame, ...]:
        if not self._granted.images:
            return ()
        (request,) = self._granted.images
        pixels = world.view_picture() if self._partial else world.grid_picture()
        current, previous = Frame(Channel.RGB, pixels), self._previous
        self._previous = Frame(Channel.RGB, pixels, ImageRole.PREVIOUS)
        return (current, previous) if request.previous_frame and previous else (current,)
