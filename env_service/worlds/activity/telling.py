"""Deeds in words, for people."""

from __future__ import annotations

from env_service.worlds.activity.bddl.telling import thing_in_words as said
from env_service.worlds.activity.deed import Deed, Verb

_WORDS = {
    Verb.WALK_TO: "walk to",
    Verb.GRAB: "take",
    Verb.SWITCH_ON: "switch on",
    Verb.SWITCH_OFF: "switch off",
    Verb.OTHER: "do something with",
}
_ALONE = {Verb.WAIT: "wait", Verb.OTHER: "do something else"}
"""Deeds that need no object."""
_WHERE = {
    Verb.PLACE_INSIDE: "into",
    Verb.PLACE_ON_TOP: "onto",
    Verb.PLACE_NEXT_TO: "next to",
    Verb.PLACE_UNDER: "under",
}


def deed_text(deed: Deed) -> str:
    """A deed as people say it: "put candle 1 into basket 1", "clean table 1 with rag 2"."""
    target, item = said(deed.target), said(deed.item) or "what is held"
    if deed.verb in _WHERE:
        text = f"put {item} {_WHERE[deed.verb]} {target or 'what is at hand'}"
    elif deed.verb is Verb.PLACE_ON_FLOOR:
        text = f"put {item} on the floor" + (f" at {target}" if target else "")
    elif deed.verb is Verb.POUR:
        text = f"pour {item} into {target or 'what is at hand'}"
    elif deed.verb in _ALONE and not target:
        text = _ALONE[deed.verb]
    else:
        text = f"{_WORDS.get(deed.verb, deed.verb.value)} {target}".strip()
        if deed.item:
            text += f" and {said(deed.item)}"
    tools = " and ".join(map(said, deed.tools))
    return f"{text} with {tools}" if tools else text
