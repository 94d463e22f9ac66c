"""Small homes to ground plans in."""

from __future__ import annotations

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.parser import read_problem

_BASKETS = """
(define (problem baskets_0) (:domain igibson)
 (:objects basket.n.01_1 basket.n.01_2 - basket.n.01 candle.n.01_1 candle.n.01_2 - candle.n.01
  table.n.02_1 table.n.02_2 - table.n.02 electric_refrigerator.n.01_1 - electric_refrigerator.n.01
  sock.n.01_1 sock.n.01_2 - sock.n.01 sofa.n.01_1 - sofa.n.01 rag.n.01_1 - rag.n.01
  floor.n.01_1 floor.n.01_2 - floor.n.01 sink.n.01_1 - sink.n.01 agent.n.01_1 - agent.n.01)
 (:init (onfloor basket.n.01_1 floor.n.01_1) (onfloor basket.n.01_2 floor.n.01_1)
  (ontop candle.n.01_1 table.n.02_1) (ontop candle.n.01_2 table.n.02_1)
  (ontop sock.n.01_1 sofa.n.01_1) (onfloor sock.n.01_2 floor.n.01_2)
  (ontop rag.n.01_1 table.n.02_2) (stained sock.n.01_2)
  (inroom table.n.02_1 kitchen) (inroom table.n.02_2 living_room) (inroom floor.n.01_1 kitchen)
  (inroom floor.n.01_2 living_room) (inroom sofa.n.01_1 living_room) (inroom sink.n.01_1 kitchen)
  (inroom electric_refrigerator.n.01_1 kitchen) (onfloor agent.n.01_1 floor.n.01_1))
 (:goal (and {goal})))
"""

EACH_ITS_OWN = "(inside ?candle.n.01_1 ?basket.n.01_2) (inside ?candle.n.01_2 ?basket.n.01_1)"
"""A goal: each candle in a basket, crosswise."""


def home(goal: str = EACH_ITS_OWN) -> Activity:
    """An activity with two baskets and candles, socks, a rag, and a few fixtures in two rooms."""
    problem = read_problem(_BASKETS.replace("{goal}", goal), "test")
    return Activity("baskets", Variant.NORMAL, problem, "Fill the baskets.")
