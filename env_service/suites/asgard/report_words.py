"""An action as a report shows it: as the rules read it, such as "PICKUP Mug"."""

from __future__ import annotations

from env_service.domain.action import Action
from env_service.suites.asgard.parsing import NOTHING, Parser
from env_service.suites.asgard.rules import PAPER

_PARSER = Parser((), PAPER)
_UNREAD = f"{NOTHING} {NOTHING}"


def words(action: Action) -> tuple[str, ...]:
    """The verb and the object that were asked for, whether there are such ones or not."""
    text = _PARSER.read(action).text
    return ("(no action)" if text == _UNREAD else text,)
