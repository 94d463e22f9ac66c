"""From a declared tree to the episodes of one instruction, and what they branch into."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.domain.english import counted
from env_service.domain.names import UnknownNameError
from env_service.results.report.action_tree import Node, grow, lay_out, walk
from env_service.results.report.drawings import Branch, TreeChart
from env_service.results.report.episodes import Episodes, Ints
from env_service.results.report.figure_parts import numbers_table
from env_service.results.report.model import FigureData
from env_service.results.report.recorded import Played, actions_of, instruction_of
from env_service.results.report.tables import Cell, Column, Row, TableData
from env_service.suites.reporting import ActionTree, Unit

MOST_READ = 500
"""Episodes of an instruction whose actions are read."""


def make_tree(figure: ActionTree, episodes: Episodes, chosen: Ints) -> FigureData | None:
    """The tree of one instruction's episodes; None where no transcript can be read.

    Raises UnknownNameError where the reader asked for an instruction that there is not.
    """
    found = _instructions(episodes, chosen)
    if not found:
        return None
    instruction = _choose(found, episodes.tree)
    numbers = found[instruction]
    played = [_played(figure, episodes, number) for number in numbers[:MOST_READ]]
    root = grow(played)
    branches = lay_out(root, figure.rows)
    return FigureData(
        id=figure.id,
        title=f"{figure.title}: “{instruction}”",
        drawing=TreeChart(branches),
        description=_in_words(root, branches),
        table=_table(figure, root),
        note=" ".join(filter(None, (figure.note, _left_out(len(numbers), found)))),
    )


def _instructions(episodes: Episodes, chosen: Ints) -> Mapping[str, list[int]]:
    """The episodes of each instruction, in order; those without a transcript are left out."""
    found: dict[str, list[int]] = {}
    for number in chosen.tolist():
        told = instruction_of(episodes.folder(number), episodes.records[number])
        if told is not None:
            found.setdefault(told, []).append(number)
    return found


def _choose(found: Mapping[str, list[int]], wanted: str) -> str:
    """The commonest instruction, or of those that have ``wanted`` in them."""
    fitting = [told for told in found if wanted.casefold() in told.casefold()]
    if not fitting:
        raise UnknownNameError("instruction", wanted, found)
    return max(fitting, key=lambda told: len(found[told]))


def _played(figure: ActionTree, episodes: Episodes, number: int) -> Played:
    record = episodes.records[number]
    runs = episodes.family.runs
    return Played(
        record.task_id,
        record.success,
        actions_of(episodes.folder(number), record, figure.words),
        runs[episodes.runs[number]].mark if len(runs) > 1 else "",
    )


def _in_words(root: Node, branches: tuple[Branch, ...]) -> str:
    total, won = len(root.members), sum(one.won for one in root.members)
    ways = {tuple(did.words for did in one.actions) for one in root.members}
    common = len(branches[0].actions)
    start = f"the first {common} actions are common to all" if common else "they begin differently"
    if common == 1:
        start = "the first action is common to all"
    told = (
        f"Tree: {counted(total, 'episode')} in {counted(len(ways), 'way', 'different ways')},"
        f" {won} won; {start}. Branches are as wide as they have episodes. ✗: refused each time."
    )
    if any(branch.more for branch in branches):
        told += " Not every branch is drawn; the numbers have them all."
    return told


def _left_out(total: int, found: Mapping[str, list[int]]) -> str:
    """What the tree is not of."""
    told = []
    if total > MOST_READ:
        told.append(f"Of {total} episodes the first {MOST_READ}.")
    others = len(found) - 1
    if others:
        told.append(f"{counted(others, 'other instruction')}: choose with --tree WORDS.")
    return " ".join(told)


def _table(figure: ActionTree, root: Node) -> TableData:
    """A row for each action of the tree, behind the one that it follows."""
    numbers = ("node", "parent", "step")
    counts = ("episodes", "won", "refused", "ended", "ended_won")
    columns = (
        *(Column(name, name, Unit.NUMBER) for name in numbers),
        Column("action", "action"),
        *(Column(name, name.replace("_", " and "), Unit.NUMBER) for name in counts),
        Column("tasks", "tasks that ended here"),
    )
    rows = [
        Row(
            (
                *(Cell(value) for value in (number, parent, node.step)),
                Cell(node.words),
                *(Cell(value) for value in _counts(node)),
                Cell(", ".join(dict.fromkeys(one.task_id for one in node.ended))),
            )
        )
        for number, parent, node in walk(root)
    ]
    return numbers_table(figure, columns, rows)


def _counts(node: Node) -> tuple[int, ...]:
    won = (sum(one.won for one in members) for members in (node.members, node.ended))
    through, ended = won
    return len(node.members), through, node.refused, len(node.ended), ended
