"""A person as an agent: one session, and two faces that show it."""
