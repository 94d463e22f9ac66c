"""What is held against a guest, and until when."""

from __future__ import annotations

from env_service.domain.reasons import ProtocolError
from env_service.gateway.tokens import Lease
from env_service.gateway.violations import VIOLATIONS, ViolationTracker


def test_what_is_forgotten_begins_anew_and_others_keep_theirs() -> None:
    conducts, error = ViolationTracker(), ProtocolError(next(iter(VIOLATIONS)))
    gone, stays = Lease("practice-1", 0, 0), Lease("run-1", 0, 0)
    for lease in (gone, stays):
        conducts.refuse(lease, None, error)
        assert conducts.of(lease).offence is not None
    conducts.forget("practice-1")
    assert conducts.of(gone).offence is None
    assert conducts.of(stays).offence is not None
