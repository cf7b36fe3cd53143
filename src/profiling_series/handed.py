"""What the package's root hands to parts that lie below it, and that must not import it from above.

The profiler looks results up in the recordings, which are made with it and so lie above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Set by the root, which every import of a part runs first; called when a recording is first asked for.
recordings: Callable[[], Any] | None = None
