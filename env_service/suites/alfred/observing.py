"""Shows the house to the agent: what its grant names, and nothing else."""

from __future__ import annotations

import numpy as np

from env_service.domain.observation import Channel, Frame, Observation, ObservationRequest
from env_service.worlds.thor.controller import ThorEvent


class Observer:
    """Makes one episode's observations. Asks an event for its picture only where the grant names
    one: drawing is dear."""

    def __init__(self, granted: ObservationRequest) -> None:
        self._granted = granted

    def observe(self, event: ThorEvent, text: str) -> Observation:
        """What the agent sees now; ``text`` is told where text was granted."""
        return Observation(text if self._granted.text else "", self._frames(event))

    def _frames(self, event: ThorEvent) -> tuple[Frame, ...]:
        if not self._granted.images:
            return ()
        frame = event.frame
        if frame is None:
            raise RuntimeError("the world gave no picture, though one was asked for at its start")
        return (Frame(Channel.RGB, np.ascontiguousarray(frame)),)
