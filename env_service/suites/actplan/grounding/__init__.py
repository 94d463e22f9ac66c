"""Decides which things of the house a plan's names stand for."""
