"""A person as an agent: one session, with a terminal and a browser interface."""
