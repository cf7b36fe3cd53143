"""Claims: what was published, held against what this build measures."""

from __future__ import annotations

from .model import Claim, Published, all_claims, claim
from .outcome import Outcome, outcome
from .views import check, claims_table

__all__ = ["Claim", "Outcome", "Published", "all_claims", "check", "claim", "claims_table", "outcome"]
