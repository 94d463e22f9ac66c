"""Shows an activity to the agent: what its grant names, and nothing else."""

from __future__ import annotations

from functools import cached_property

from env_service.domain.observation import Frame, Observation
from env_service.suites.actplan.dataset.pictures import load_pictures
from env_service.suites.actplan.task import ActPlanTask
from env_service.suites.base import EpisodeOrder


class Observer:
    """Makes one episode's observations. Pictures are of the opening, whatever was done since: no
    picture shows what a symbolic step has changed."""

    def __init__(self, order: EpisodeOrder, task: ActPlanTask) -> None:
        self._granted = order.request
        self._task = task

    def observe(self, text: str) -> Observation:
        """The pictures, as far as they were granted and the task has any, and the text.

        Raises WorldFault where a picture cannot be read or drawn, which is at the first time.
        """
        return Observation(text if self._granted.text else "", self._pictures)

    @property
    def modality(self) -> str:
        """``pictures`` or ``text``: what the agent really had to go by."""
        return "pictures" if self._granted.images and self._task.pictures else "text"

    @cached_property
    def _pictures(self) -> tuple[Frame, ...]:
        return load_pictures(self._task) if self._granted.images else ()
