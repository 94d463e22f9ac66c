"""ActPlan-1K: procedural plans for household activities, normal and counterfactual."""
