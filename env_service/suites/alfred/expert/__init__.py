"""Solves tasks of ALFRED with full knowledge of the scene, by LoTa-Bench's skills.

It plays in the scene itself, with the robot's own choice of instances: what it sees after each step
decides what it does next, so that a step that fails leads to another instance, another place to
stand, or another order.

Its loop stays here, apart from AsgardBench's: a plan is carried out blindly and its goal is looked
at only when all is over, so that each play is cut to its useful steps and proved from the opening.
"""

from env_service.suites.alfred.expert.solver import (
    Solution,
    UnsolvedError,
    path_length,
    plan_for,
    solution_of,
    solve,
)

__all__ = ["Solution", "UnsolvedError", "path_length", "plan_for", "solution_of", "solve"]
