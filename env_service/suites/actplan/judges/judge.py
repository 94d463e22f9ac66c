"""All judges that need no model, on one plan."""

from __future__ import annotations

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded import Level
from env_service.suites.actplan.grounding.grounding import ground
from env_service.suites.actplan.judges.assertions import checked
from env_service.suites.actplan.judges.correct import CRITERIA, PROFILE, conditions_of
from env_service.suites.actplan.judges.errors import errors_of
from env_service.suites.actplan.judges.execution import Execution, carry_out
from env_service.suites.actplan.judges.goal import reached_by
from env_service.suites.actplan.judges.judgement import Judgement
from env_service.suites.actplan.plans.step import ReadPlan
from env_service.worlds.activity.profile import Profile


def judge(activity: Activity, plan: ReadPlan, profile: Profile) -> Judgement:
    """Judges a plan for an activity. Never raises for what a plan says.

    ``profile`` is that of the judge ``commonsense`` alone: `correct` has its own.
    """
    runs = {level: _run(activity, plan, level, PROFILE) for level in Level}
    run = runs[CRITERIA.level]
    conditions = conditions_of(activity, plan, run)
    correct = all(each.met for each in conditions)
    return Judgement(
        goals=tuple(reached_by(activity, each) for each in runs.values()),
        profile=profile.name,
        violations=carry_out(activity, run.plan, run.level, profile).violations,
        assertions=checked(activity, run),
        correct=correct,
        conditions=conditions,
        errors=() if correct else errors_of(activity, plan, run),
        trace=run.trace,
        repairs=(*plan.repairs, *run.plan.repairs),
    )


def _run(activity: Activity, plan: ReadPlan, level: Level, profile: Profile) -> Execution:
    return carry_out(activity, ground(activity, plan, level), level, profile)
