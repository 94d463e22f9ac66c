"""The planner and the judge, as checks of activities want them."""

from __future__ import annotations

from env_service.making.checking import Plan
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.planner.planner import plan_for
from env_service.suites.actplan.plans.reading import read_plan
from env_service.worlds.activity.profile import PROFILES


def solve(activity: Activity) -> Plan | None:
    """The planner's plan; None where it finds none."""
    return plan_for(activity)


def solves(activity: Activity, plan: Plan) -> bool:
    """Whether the judge ``correct`` takes a plan."""
    standard = next(iter(PROFILES.values()))
    return judge(activity, read_plan("\n".join(plan)), standard).correct
