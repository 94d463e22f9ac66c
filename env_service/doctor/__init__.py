"""Whether this machine has what Houseguest needs, and how to mend what it lacks."""
