"""How a world took an action, and whether two worlds took it alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from env_service.parity.tolerances import Tolerances
from env_service.parity.values import agree, brief, kind_of, same_kind
from env_service.worlds.thor.controller import ThorController, ThorEvent

MISTAKE = "ValueError"
"""The code of a refusal that was raised and for which the world's last event gives none."""

LONGEST = 300
"""Characters of a message that are kept."""

SUCCESS, CODE, MESSAGE, KIND, RETURN = "success", "error code", "message", "return kind", "return"
PARTS = (SUCCESS, CODE, MESSAGE, KIND, RETURN)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a world said to one action: its error code, "" for none; its error message; and its
    actionReturn."""

    success: bool
    code: str = ""
    message: str = ""
    value: Any = None

    @staticmethod
    def of(event: ThorEvent) -> Answer:
        """From an event's metadata."""
        metadata = event.metadata
        return Answer(
            bool(metadata["lastActionSuccess"]),
            metadata.get("errorCode") or "",
            (metadata.get("errorMessage") or "")[:LONGEST],
            metadata.get("actionReturn"),
        )

    def to_json(self) -> dict[str, Any]:
        """Short, for a report."""
        if self.success:
            return {"success": True, "return": brief(self.value)}
        return {"success": False, "code": self.code, "message": self.message}


def ask(controller: ThorController, action: Mapping[str, Any]) -> Answer:
    """Plays an action. A mistake of the caller's, which the controller raises, is an answer.

    Raises:
        WorldFault: see `ThorController`.
    """
    try:
        return Answer.of(controller.step(dict(action)))
    except ValueError as error:
        last = Answer.of(controller.last_event)
        code = MISTAKE if last.success else last.code
        return Answer(success=False, code=code or MISTAKE, message=str(error)[:LONGEST])


def verdicts(left: Answer, right: Answer, tolerances: Tolerances) -> dict[str, bool]:
    """Which parts of two answers agree.

    Success always; the code and the message where both worlds refused; the kind of what was
    returned, and if that is the same its value, where both succeeded.
    """
    found = {SUCCESS: left.success == right.success}
    if not found[SUCCESS]:
        return found
    if not left.success:
        found[CODE] = left.code == right.code
        found[MESSAGE] = normalised(left.message) == normalised(right.message)
        return found
    found[KIND] = same_kind(left.value, right.value)
    if found[KIND] and kind_of(left.value) != "nothing":
        found[RETURN] = agree(left.value, right.value, tolerances)
    return found


def normalised(message: str) -> str:
    """A message without what differs from one case to another: AI2-THOR's stack trace and type of
    exception, object ids, numbers, spacing and case (spec: ai2thor.md section 5.4)."""
    text = re.sub(r"\.?\s*trace:.*", "", message, flags=re.DOTALL)
    text = re.sub(r"^\s*(\w+\.)*\w*(Exception|Error): ", "", text)
    text = re.sub(r"\w+(\|[+-]?[\w.]+)+", "<id>", text)
    text = re.sub(r"[+-]?\d+(\.\d+)?(e-?\d+)?", "#", text)
    return " ".join(text.casefold().split()).rstrip(".!")
