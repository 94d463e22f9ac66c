"""The small run with which the kit checks this service; suites provide it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from env_service.domain.names import UnknownNameError
from env_service.plugins import Group, find_plugin, installed


@dataclass(frozen=True, slots=True)
class Sample:
    """What to play; an entry point of ``houseguest.conformance_samples`` refers to one.

    Attributes:
        tasks: The tasks, as for a run.
        episodes: How many episodes there must be. The kit uses about two dozen; 40 is a good
            number. Episodes should be short, need no data pack, and take more than one step.
        condition: Must show agents both texts and pictures, so that the kit can check both.
    """

    suite: str
    tasks: tuple[str, ...] = ()
    episodes: int = 40
    condition: Mapping[str, str] = field(default_factory=dict)


def find_sample(name: str = "") -> Sample:
    """The sample of that name; by default the first in alphabetical order.

    Raises UnknownNameError, and PluginError for one that cannot be loaded.
    """
    known = installed(Group.CONFORMANCE_SAMPLES)
    if not name and not known:
        raise UnknownNameError(Group.CONFORMANCE_SAMPLES.noun, name, known)
    sample: Sample = find_plugin(Group.CONFORMANCE_SAMPLES, name or next(iter(known))).load()
    return sample
