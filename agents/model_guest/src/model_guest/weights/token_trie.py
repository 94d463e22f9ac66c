"""Candidates as a tree of tokens, so that common prefixes are scored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROOT = -1
"""The prompt, before the first token."""


@dataclass(frozen=True, slots=True)
class Trie:
    """A tree of tokens.

    Attributes:
        tokens: The token of each node.
        parents: The parent of each node: ROOT, or a lower number than the node's.
        depths: The number of nodes before each node.
        ends: The last node of each candidate; ROOT for an empty one.
    """

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    depths: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def deepest(self) -> int:
        """The number of tokens of the longest candidate."""
        return max(self.depths, default=-1) + 1

    def path(self, node: int) -> list[int]:
        """The nodes from the first token to this one; empty for ROOT."""
        path = []
        while node != ROOT:
            path.append(node)
            node = self.parents[node]
        return path[::-1]

    def leaves(self) -> list[int]:
        """Nodes without children."""
        followed = set(self.parents)
        return [node for node in range(len(self)) if node not in followed]


def build_trie(candidates: Sequence[Sequence[int]]) -> Trie:
    """The tree of these token sequences."""
    known: dict[tuple[int, int], int] = {}
    tokens: list[int] = []
    parents: list[int] = []
    depths: list[int] = []
    ends = []
    for candidate in candidates:
        node = ROOT
        for depth, token in enumerate(candidate):
            key = (node, token)
            if key not in known:
                known[key] = len(tokens)
                tokens.append(token)
                parents.append(node)
                depths.append(depth)
            node = known[key]
        ends.append(node)
    return Trie(tuple(tokens), tuple(parents), tuple(depths), tuple(ends))
