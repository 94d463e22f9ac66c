"""Why an episode failed: the paper's three types, decided without a model
(docs/alfred-rules.md, Failures)."""
