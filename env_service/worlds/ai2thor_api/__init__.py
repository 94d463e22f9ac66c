"""AI2-THOR's controller API as a typed interface, and the facts that its worlds share."""
