"""How a route ends, as exit statuses of the command line."""

from __future__ import annotations

OK, UNSURE, NEEDS_APPROVAL, INVALID, REFUSED, NO_SANDBOX = 0, 3, 4, 5, 6, 7
"""Exit statuses: done; confidence or score too low; a person must agree; validation failed; the
guardrails refused the generated module; the sandbox does not confine."""
