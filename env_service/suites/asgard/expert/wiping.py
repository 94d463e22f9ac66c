"""Cleaning a mirror: spray, then wipe with the cloth."""

from __future__ import annotations

from env_service.suites.asgard.expert.carrying import fetch
from env_service.suites.asgard.expert.house import is_dirty
from env_service.suites.asgard.expert.looking import act_on
from env_service.suites.asgard.expert.play import Play
from env_service.suites.asgard.plan import Deed
from env_service.suites.asgard.vocabulary import Verb

MIRROR, BOTTLE, CLOTH = "Mirror", "SprayBottle", "Cloth"


def spray(play: Play) -> None:
    """Sprays the mirror. Raises StuckError."""
    if Deed.SPRAY_MIRROR not in play.deeds:
        fetch(play, BOTTLE)
        act_on(play, Verb.SPRAY, MIRROR)


def wipe(play: Play) -> None:
    """Wipes the mirror, sprayed before. Raises StuckError."""
    spray(play)
    if is_dirty(play.view, MIRROR):
        fetch(play, CLOTH)
        act_on(play, Verb.CLEAN, MIRROR)
