"""An activity to make others of, and a model that makes them as a good one would."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.model_server import Call, completion

NAME = "packing_sweets"

NORMAL = """(define (problem packing_sweets_0)
    (:domain igibson)
    (:objects
        cookie.n.01_1 cookie.n.01_2 - cookie.n.01
        table.n.02_1 - table.n.02
        cabinet.n.01_1 - cabinet.n.01
        basket.n.01_1 - basket.n.01
        floor.n.01_1 - floor.n.01
        agent.n.01_1 - agent.n.01
    )
    (:init
        (ontop cookie.n.01_1 table.n.02_1)
        (inside cookie.n.01_2 cabinet.n.01_1)
        (onfloor basket.n.01_1 floor.n.01_1)
        (inroom table.n.02_1 kitchen)
        (inroom cabinet.n.01_1 kitchen)
        (inroom floor.n.01_1 kitchen)
        (onfloor agent.n.01_1 floor.n.01_1)
    )
    (:goal
        (and
            (forall (?cookie.n.01 - cookie.n.01) (inside ?cookie.n.01 ?basket.n.01_1))
        )
    )
)
"""
"""Two cookies are to go into a basket."""

CLEAN_TABLE = NORMAL.replace(
    "(ontop cookie.n.01_1 table.n.02_1)",
    "(ontop cookie.n.01_1 table.n.02_1)\n        (dusty table.n.02_1)\n"
    "        (ontop rag.n.01_1 table.n.02_1)",
).replace(
    "table.n.02_1 - table.n.02\n", "table.n.02_1 - table.n.02\n        rag.n.01_1 - rag.n.01\n"
)
CLEAN_TABLE = CLEAN_TABLE.replace(
    "        )\n    )\n)", "            (not (dusty ?table.n.02_1))\n        )\n    )\n)"
)
"""The same with a table that is dusty and has to be clean, and a rag."""

SENTENCE = "Somebody has spilled sugar, so the table is dusty and has to be wiped with the rag."

DESCRIPTION = (
    "You are in the kitchen. One cookie lies on the table, and another cookie is in the closed"
    " cabinet. An empty basket stands on the floor. In the end both of the cookies have to be in"
    " the basket, whatever else there is to be done."
)


def write_home(folder: Path, counterfactual: str = "") -> Path:
    """The activity in its folder, below ``folder``; which."""
    place = folder / NAME
    place.mkdir(parents=True)
    (place / "problem0.bddl").write_text(NORMAL, encoding="utf-8")
    if counterfactual:
        (place / "problem1.bddl").write_text(counterfactual, encoding="utf-8")
    return place


def makes(call: Call) -> None:
    """Answers as a good model would."""
    call.send_json(200, completion(answer(call)))


def answer(call: Call) -> str:
    """What a good model says: a description, circumstances, or the definition with a dusty
    table."""
    system = call.asked.body["messages"][0]["content"]
    if system.startswith("You write task descriptions"):
        return f"<think>A kitchen.</think>\n{DESCRIPTION}"
    if system.startswith("You think of circumstances"):
        found = re.search(r"JSON list of (\d+) sentences", system)
        kind = (
            "power"
            if "what has happened" in system
            else "tool"
            if "what a thing is for" in system
            else "state"
        )
        count = int(found[1]) if found else 0
        return json.dumps([f"For a {kind} of number {n} all is otherwise." for n in range(count)])
    return f"Here it is:\n```lisp\n{CLEAN_TABLE}```\nI hope that this will do."
