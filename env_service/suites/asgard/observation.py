"""Makes what the agent observes: only the channels that it was granted."""

import numpy as np
from numpy.typing import NDArray

from env_service.domain.observation import (
    Channel,
    Frame,
    ImageRole,
    Observation,
    ObservationRequest,
)
from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.conditions import feedback_of
from env_service.suites.asgard.hand_overlay import draw_hand
from env_service.suites.asgard.wording import PastStep, step_line
from env_service.suites.base import Condition
from env_service.worlds.ai2thor_api.controller import ThorEvent, rgb_picture

NOTHING_DONE = "You have not acted yet."
NOTHING_DISCLOSED = "You have acted. What came of it is not told."


class AsgardObserver:
    """Makes one episode's observations, and remembers the last picture for the next.

    Asks an event for pictures only where the grant names them: drawing is dear.
    """

    def __init__(self, granted: ObservationRequest, condition: Condition) -> None:
        self._granted = granted
        self._opacity = int(condition["hand"])
        self._gray = condition["previous_image"] == "grayscale"
        self._feedback = feedback_of(condition)
        self._previous: NDArray[np.uint8] | None = None

    def observe(
        self, event: ThorEvent, held: str | None, past: PastStep | None = None
    ) -> Observation:
        """What the agent sees now. To be called once for each observation it is given.

        ``held`` is the id of what is in its hand; ``past`` the turn just taken, None before the
        first.
        """
        text = self._describe(past) if self._granted.text else ""
        return Observation(text, self._frames(event, held))

    def _describe(self, past: PastStep | None) -> str:
        if past is None:
            return NOTHING_DONE
        if self._feedback is FeedbackMode.NONE:
            return NOTHING_DISCLOSED
        return step_line(past, self._feedback)

    def _frames(self, event: ThorEvent, held: str | None) -> tuple[Frame, ...]:
        if not self._granted.images:
            return ()
        (request,) = self._granted.images
        pixels, before = self._picture(event, held), self._previous
        current = Frame(Channel.RGB, pixels)
        if not request.previous_frame:
            return (current,)
        self._previous = pixels
        if before is None:
            return (current,)
        return current, Frame(Channel.RGB, self._faded(before), ImageRole.PREVIOUS)

    def _picture(self, event: ThorEvent, held: str | None) -> NDArray[np.uint8]:
        pixels = rgb_picture(event)
        mask = event.instance_masks.get(held) if held and self._opacity else None
        return pixels if mask is None else draw_hand(pixels, mask, self._opacity / 100)

    def _faded(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return grayscale(pixels) if self._gray else pixels


def grayscale(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture, uint8 [H, W, 3], without its colours: luma of ITU-R BT.601 in all three."""
    weights = np.array((19595, 38470, 7471), np.uint32)  # of 65536
    luma = (pixels @ weights + (1 << 15)) >> 16
    return np.repeat(luma.astype(np.uint8)[..., None], 3, axis=2)
