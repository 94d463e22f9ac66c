"""How likely each node of a tree of candidates is, gathered from a model's output."""

from __future__ import annotations

from collections.abc import Sequence

from .border import Tensor, torch
from .trie import ROOT, Trie


class Likelihoods:
    """The table for one prompt: a node's log-probability behind its ancestors, and that of a
    reply's end behind it. ``ends`` are the tokens that end a reply."""

    def __init__(self, trie: Trie, ends: Sequence[int]) -> None:
        self._trie, self._ends = trie, list(ends)
        self._children: dict[int, list[int]] = {}
        for node, parent in enumerate(trie.parents):
            self._children.setdefault(parent, []).append(node)
        # The last place is ROOT's: -1 counts from the end.
        self._node = torch.zeros(len(trie) + 1, dtype=torch.float64)
        self._end = torch.zeros(len(trie) + 1, dtype=torch.float64)

    def take(self, nodes: Sequence[int], logits: Tensor) -> None:
        """``logits`` [n, V] is what the model gave behind each of these nodes."""
        logits = logits.float()
        sums = logits.logsumexp(-1)
        ending = logits[:, self._ends].logsumexp(-1) - sums
        self._end[list(nodes)] = ending.double().cpu()
        places: list[int] = []
        children: list[int] = []
        for place, node in enumerate(nodes):
            following = self._children.get(node, ())
            places += [place] * len(following)
            children += following
        if children:
            tokens = [self._trie.tokens[child] for child in children]
            self._node[children] = (logits[places, tokens] - sums[places]).double().cpu()

    def candidates(self) -> Tensor:
        """float64 [C, 2]: each candidate's log-probability, and that the reply ends there."""
        total = torch.zeros_like(self._node)
        for node, parent in enumerate(self._trie.parents):
            total[node] = self._node[node] + (total[parent] if parent != ROOT else 0.0)
        ends = list(self._trie.ends)
        return torch.stack((total[ends], self._end[ends]), dim=-1)
