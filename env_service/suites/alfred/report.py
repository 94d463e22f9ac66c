"""What a report on alfred shows."""

from __future__ import annotations

from env_service.suites.reporting import common_design

DESIGN = common_design("task type")
