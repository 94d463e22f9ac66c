"""The doctor: checks that this machine has what Houseguest needs, and says how to fix problems."""
