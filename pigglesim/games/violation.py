"""What is wrong with a state that no play could have led to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One broken invariant; its text is one line."""

    rule: str
    """Number of the rule or ruling."""
    expected: str
    got: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.rule}: expected {self.expected}, got {self.got}; try: {self.remedy}"
