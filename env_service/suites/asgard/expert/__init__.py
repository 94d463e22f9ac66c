"""Solves tasks of AsgardBench with full knowledge of the scene, by the agent's own twelve actions.

It plays in the scene itself: what it sees after each action decides what it does next, so that an
action that fails leads to another instance, another place, another order.

Its loop stays here, apart from ALFRED's: an AsgardBench episode ends as soon as its goals are met,
and refused actions count against its limits, so that a play is an ordered list of subgoals.
"""

from env_service.suites.asgard.expert.solver import solve

__all__ = ["solve"]
