"""Reads a command in whichever language and wording it comes."""

from __future__ import annotations

from env_service.suites.alfred.judging.intent import Intent
from env_service.suites.alfred.judging.lexicon import read_english
from env_service.suites.alfred.judging.lexicon_korean import read_korean
from env_service.suites.alfred.wordings import Wording

CONTEXTUAL = (Wording.CONTEXTUAL, Wording.WITHOUT_CONTEXT)
"""Wordings of which anything that is mentioned may be meant."""


def read_command(text: str, *, language: str = "en", wording: Wording | None = None) -> Intent:
    """What a command asks for; slots that it does not fill are empty.

    Args:
        language: BCP 47: English, or Korean ("ko").
        wording: contextual ones are read for what they mention; None: it is a plain order.
    """
    if language.split("-", maxsplit=1)[0] == "ko":
        return read_korean(text)
    return read_english(text, contextual=wording in CONTEXTUAL)
