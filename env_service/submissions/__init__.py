"""Agents from outside: how they are checked and scored, and the organisers' queue."""
