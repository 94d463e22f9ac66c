"""The tree that action sequences branch into, and which of its branches to draw."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby

from env_service.results.report.drawings import Branch
from env_service.results.report.recorded import Played

REFUSED = " ✗"
"""Stands behind an action that was refused in every episode that took it there."""


@dataclass(slots=True)
class Node:
    """An action behind the same beginning. ``members`` took it, ``ended`` did nothing after it."""

    words: str
    step: int
    members: list[Played] = field(default_factory=list)
    ended: list[Played] = field(default_factory=list)
    refused: int = 0
    followers: dict[str, Node] = field(default_factory=dict)

    @property
    def children(self) -> list[Node]:
        """What came next, the commonest first."""
        return sorted(self.followers.values(), key=lambda node: -len(node.members))


def grow(played: Sequence[Played]) -> Node:
    """The tree; its root is no action."""
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
    """(number, parent's number, node) of every action, each behind the one before it."""
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
    members: list[Played]
    shown: list[_Row] = field(default_factory=list)
    rest: int = 0

    def parts(self) -> list[_Row]:
        """The rows below: where episodes end here while others go on, these are one of them."""
        last = self.chain[-1]
        rows = [_row(child) for child in last.children]
        if rows and last.ended:
            rows.append(_Row((), last.ended))
        return sorted(rows, key=lambda row: -len(row.members))


def lay_out(root: Node, most: int) -> tuple[Branch, ...]:
    """At most ``most`` rows: those that most episodes went through, from the root on."""
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
    """The actions, those that follow each other alike as one."""
    texts = [
        node.words + (REFUSED if node.refused == len(node.members) else "")
        for node in chain
        if node.step
    ]
    counted = ((text, len(list(same))) for text, same in groupby(texts))
    return tuple(f"{text} ×{times}" if times > 1 else text for text, times in counted)


def _ended(members: Sequence[Played]) -> str:
    """Which episodes these are, in words."""
    tasks = dict.fromkeys(one.task_id for one in members)
    who = ", ".join(filter(None, dict.fromkeys(one.who for one in members)))
    task = next(iter(tasks)) if len(tasks) == 1 else f"{len(tasks)} tasks"
    return f"{who} · {task}" if who else task
