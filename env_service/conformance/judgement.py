"""What a judge says of a rule."""

from __future__ import annotations

from env_service.conformance.report import Finding


class NotApplicable(str):
    """Why a rule cannot be judged here."""

    __slots__ = ()


Judgement = tuple[Finding, ...] | NotApplicable
"""Nothing: the rule is kept."""
