"""Processes of the operating system, whoever starts them."""
