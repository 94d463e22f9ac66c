"""Reads plans as models write them."""
