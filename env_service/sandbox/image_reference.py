"""Names of container images, as Docker writes them."""

from __future__ import annotations

import re

from env_service.sandbox.errors import AgentSpecError

_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_REFERENCE = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_PART}(?:/{_PART})*)(?::{_TAG})?(?:@sha256:[0-9a-f]{{64}})?"
)
"""``[HOST[:PORT]/]NAME[:TAG][@DIGEST]``, the grammar of the OCI distribution specification."""
_ID = re.compile(r"sha256:[0-9a-f]{64}|[0-9a-f]{64}")
"""A whole image id. A shorter one reads as a name, and the engine knows what it is."""


def check_reference(text: str) -> None:
    """Raises AgentSpecError for what cannot be the name or the id of an image."""
    if _ID.fullmatch(text) or (len(text) <= 512 and _REFERENCE.fullmatch(text)):
        return
    shown = text if len(text) <= 80 else f"{text[:80]}…"
    hint = "the name is in lower case; " if text != text.lower() else ""
    raise AgentSpecError(
        f"--agent image:{shown}: {shown!r} is no name of an image; {hint}write it as Docker does,"
        " as in image:my-agent or image:registry.example/team/my-agent:1.2"
    )


def repository(reference: str) -> str:
    """The name without tag and digest; empty for an image id."""
    if _ID.fullmatch(reference) or reference.startswith("sha256:"):
        return ""
    found = _REFERENCE.fullmatch(reference)
    return found["name"] if found is not None else ""
