"""A person as a guest: one session, and two faces that show it."""
