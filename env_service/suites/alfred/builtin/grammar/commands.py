"""All wordings of a built-in task's command."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from env_service.suites.alfred.builtin.grammar.contextual import contextual_command
from env_service.suites.alfred.builtin.grammar.english import base_command, paraphrases
from env_service.suites.alfred.builtin.grammar.korean import korean_command
from env_service.suites.alfred.task import Goal


def commands_for(goal: Goal, room: str, draw: Random) -> Mapping[str, str]:
    """The command in the wordings B, P1, P2, C and K.

    Args:
        room: the kind of room ("living-room"): some things are called otherwise in some rooms.
        draw: chooses the phrasings; B has one alone.
    """
    first, second = paraphrases(goal, room, draw)
    return {
        "B": base_command(goal),
        "P1": first,
        "P2": second,
        "C": contextual_command(goal, room, draw),
        "K": korean_command(goal, room, draw),
    }
