"""Reading answers: what an agent's text says, by the published rules or by better ones."""
