"""The published action: what agreement is measured against."""

from __future__ import annotations

from env_service.domain.action import SkillCall
from env_service.suites.asgard.recorded.questions import read_question
from env_service.suites.asgard.vocabulary import OBJECT
from env_service.suites.base import EpisodeOrder, ExpertRun


def solve(order: EpisodeOrder) -> ExpertRun:
    """Answers a question as it was published, which agrees by definition. Raises PlanError."""
    answer = read_question(order.task).answer
    return ExpertRun((SkillCall(answer.verb.value, ((OBJECT, answer.object_type),)),), success=True)
