"""Decides which things of an activity a plan's names stand for."""
