from __future__ import annotations

from model_guest.weights.token_trie import ROOT, build_trie


def test_what_candidates_share_stands_once() -> None:
    trie = build_trie([(1, 2, 3), (1, 2, 4), (5,), (1, 2), ()])
    assert len(trie) == 5
    assert trie.deepest == 3
    assert [[trie.tokens[node] for node in trie.path(end)] for end in trie.ends] == [
        [1, 2, 3],
        [1, 2, 4],
        [5],
        [1, 2],
        [],
    ]
    assert trie.ends[-1] == ROOT


def test_ancestors_come_first() -> None:
    trie = build_trie([(1, 2), (3, 2, 1), (1, 4)])
    assert all(parent < node for node, parent in enumerate(trie.parents))
    assert [trie.tokens[leaf] for leaf in trie.leaves()] == [2, 1, 4]


def test_no_candidates_at_all() -> None:
    trie = build_trie([])
    assert (len(trie), trie.deepest, trie.leaves()) == (0, 0, [])
