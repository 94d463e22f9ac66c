"""The tree into which action sequences branch: its episodes, its layout, and which branches are
drawn.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby

from env_service.domain.names import UnknownNameError
from env_service.domain.text import counted
from env_service.results.recorded_episode import RecordedEpisode, actions_of, instruction_of
from env_service.results.report.content import (
    Branch,
    Cell,
    Column,
    FigureData,
    Row,
    TableData,
    TreeChart,
)
from env_service.results.report.declared_tables import numbers_table
from env_service.results.report.episode_columns import EpisodeColumns, Ints
from env_service.suites.reporting import ActionTree, Unit

MOST_READ = 500
"""How many episodes of one instruction are read, at most."""


def make_tree(figure: ActionTree, episodes: EpisodeColumns, chosen: Ints) -> FigureData | None:
    """The tree of one instruction's episodes; None if no transcript can be read.

    Raises UnknownNameError if the requested instruction does not exist.
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


def _instructions(episodes: EpisodeColumns, chosen: Ints) -> Mapping[str, list[int]]:
    """The episodes of each instruction, in order, without those that lack a transcript."""
    found: dict[str, list[int]] = {}
    for number in chosen.tolist():
        instruction = instruction_of(episodes.folder(number), episodes.records[number])
        if instruction is not None:
            found.setdefault(instruction, []).append(number)
    return found


def _choose(found: Mapping[str, list[int]], wanted: str) -> str:
    """The most frequent instruction among those that contain ``wanted``."""
    fitting = [each for each in found if wanted.casefold() in each.casefold()]
    if not fitting:
        raise UnknownNameError("instruction", wanted, found)
    return max(fitting, key=lambda each: len(found[each]))


def _played(figure: ActionTree, episodes: EpisodeColumns, number: int) -> RecordedEpisode:
    record = episodes.records[number]
    runs = episodes.family.runs
    return RecordedEpisode(
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
    description = (
        f"Tree: {counted(total, 'episode')} in {counted(len(ways), 'way', 'different ways')},"
        f" {won} won; {start}. Branches are as wide as they have episodes. ✗: refused each time."
    )
    if any(branch.more for branch in branches):
        description += " Not every branch is drawn; the numbers list them all."
    return description


def _left_out(total: int, found: Mapping[str, list[int]]) -> str:
    """Which episodes and instructions the tree leaves out."""
    left_out = []
    if total > MOST_READ:
        left_out.append(f"Of {total} episodes, only the first {MOST_READ} are read.")
    others = len(found) - 1
    if others:
        left_out.append(f"{counted(others, 'other instruction')}: choose with --tree WORDS.")
    return " ".join(left_out)


def _table(figure: ActionTree, root: Node) -> TableData:
    """A row for each action of the tree, after the action it follows."""
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


# --- The tree that action sequences branch into, and which of its branches to draw

REFUSED = " ✗"
"""Marks an action that was refused in every episode that tried it there."""


@dataclass(slots=True)
class Node:
    """An action after the same earlier actions.

    ``members`` took it, ``ended`` took no further action.
    """

    words: str
    step: int
    members: list[RecordedEpisode] = field(default_factory=list)
    ended: list[RecordedEpisode] = field(default_factory=list)
    refused: int = 0
    followers: dict[str, Node] = field(default_factory=dict)

    @property
    def children(self) -> list[Node]:
        """The next actions, the most frequent first."""
        return sorted(self.followers.values(), key=lambda node: -len(node.members))


def grow(played: Sequence[RecordedEpisode]) -> Node:
    """Builds the tree. Its root is the beginning, before any action."""
    root = Node("", 0)
    for one in played:
        node = root
        node.members.append(one)
        for did in one.actions:
            node = node.followers.setdefault(did.words, Node(did.words, node.step + 1))
            node.members.append(one)
            node.refused += did.refused
        node.ended.append(one)
    return root


def walk(root: Node) -> Iterator[tuple[int, int, Node]]:
    """(number, parent's number, node) of every action, each after the one before it."""
    numbers = count(1)
    waiting = [(0, child) for child in reversed(root.children)]
    while waiting:
        parent, node = waiting.pop()
        number = next(numbers)
        yield number, parent, node
        waiting += [(number, child) for child in reversed(node.children)]


@dataclass(slots=True)
class _Row:
    """A chain of actions without a branch, or (``rest``) several chains that are not drawn."""

    chain: tuple[Node, ...]
    members: list[RecordedEpisode]
    shown: list[_Row] = field(default_factory=list)
    rest: int = 0

    def parts(self) -> list[_Row]:
        """The rows below. If some episodes end here while others continue, one row is for those
        that end."""
        last = self.chain[-1]
        rows = [_row(child) for child in last.children]
        if rows and last.ended:
            rows.append(_Row((), last.ended))
        return sorted(rows, key=lambda row: -len(row.members))


def lay_out(root: Node, most: int) -> tuple[Branch, ...]:
    """At most ``most`` rows, from the root on: those with the most episodes."""
    first = _row(root)
    room = most - 1
    order = count()
    waiting = [(-len(first.members), next(order), first)]
    while waiting and room:
        row = heapq.heappop(waiting)[2]
        parts = row.parts() if row.chain else []
        kept = parts if len(parts) <= room else parts[: room - 1]
        row.shown = list(kept)
        if left := parts[len(kept) :]:
            members = [one for part in left for one in part.members]
            row.shown.append(_Row((), members, rest=len(left)))
        room -= len(row.shown)
        for part in kept:
            heapq.heappush(waiting, (-len(part.members), next(order), part))
    branches: list[Branch] = []
    _write(first, None, 0, branches)
    return tuple(branches)


def _row(node: Node) -> _Row:
    chain = [node]
    while not chain[-1].ended and len(chain[-1].followers) == 1:
        chain += chain[-1].followers.values()
    return _Row(tuple(chain), node.members)


def _write(row: _Row, parent: int | None, depth: int, branches: list[Branch]) -> None:
    number = len(branches)
    hidden = 0 if row.shown or not row.chain else len(row.parts())
    ends = row.rest == 0 and not row.shown and not hidden
    branches.append(
        Branch(
            parent=parent,
            depth=depth,
            actions=_repeated(row.chain),
            episodes=len(row.members),
            won=sum(one.won for one in row.members),
            end=_ended(row.members) if ends else "",
            more=row.rest or hidden,
        )
    )
    for part in row.shown:
        _write(part, number, depth + 1, branches)


def _repeated(chain: Sequence[Node]) -> tuple[str, ...]:
    """The actions, with consecutive equal ones merged."""
    texts = [
        node.words + (REFUSED if node.refused == len(node.members) else "")
        for node in chain
        if node.step
    ]
    counted = ((text, len(list(same))) for text, same in groupby(texts))
    return tuple(f"{text} ×{times}" if times > 1 else text for text, times in counted)


def _ended(members: Sequence[RecordedEpisode]) -> str:
    """Names these episodes, in words."""
    tasks = dict.fromkeys(one.task_id for one in members)
    who = ", ".join(filter(None, dict.fromkeys(one.who for one in members)))
    task = next(iter(tasks)) if len(tasks) == 1 else f"{len(tasks)} tasks"
    return f"{who} · {task}" if who else task
