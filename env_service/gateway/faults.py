"""Whose fault an exception is."""

from __future__ import annotations

import logging

from env_service.domain.failure import FaultClass, WorldFault

LOG = logging.getLogger(__name__)


def as_fault(error: Exception) -> WorldFault:
    """Anything the house did not foresee is its own fault, never the agent's."""
    if isinstance(error, WorldFault):
        return error
    LOG.error("the service failed an episode", exc_info=error)
    return WorldFault(FaultClass.SERVICE_FAULT, repr(error))
