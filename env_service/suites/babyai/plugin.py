"""The suite's registrations besides the suite itself."""

from env_service.conformance.sample import Sample

SAMPLE = Sample(
    "babyai",
    tasks=("GoToLocal",),
    condition={"observation": "text+picture", "feedback": "detailed"},
)
