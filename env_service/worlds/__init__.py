"""The simulators. A world never imports a suite."""
