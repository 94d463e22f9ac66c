"""The twelve actions by their verbs."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.asgard.actions.carrying import PICKUP, PUT
from env_service.suites.asgard.actions.cleaning import CLEAN
from env_service.suites.asgard.actions.doors import CLOSE, OPEN
from env_service.suites.asgard.actions.finding import FIND
from env_service.suites.asgard.actions.handler import Handler
from env_service.suites.asgard.actions.liquids import DRINK, EMPTY
from env_service.suites.asgard.actions.slicing import SLICE
from env_service.suites.asgard.actions.spraying import SPRAY
from env_service.suites.asgard.actions.switching import TOGGLE_OFF, TOGGLE_ON
from env_service.suites.asgard.vocabulary import Verb

HANDLERS: Mapping[Verb, Handler] = {
    Verb.FIND: FIND,
    Verb.PICKUP: PICKUP,
    Verb.PUT: PUT,
    Verb.OPEN: OPEN,
    Verb.CLOSE: CLOSE,
    Verb.TOGGLE_ON: TOGGLE_ON,
    Verb.TOGGLE_OFF: TOGGLE_OFF,
    Verb.CLEAN: CLEAN,
    Verb.SLICE: SLICE,
    Verb.EMPTY: EMPTY,
    Verb.DRINK: DRINK,
    Verb.SPRAY: SPRAY,
}
"""What each verb asks for and does."""
