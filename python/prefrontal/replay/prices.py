"""What one wake-up of the agent costs: its tokens by kind, and the price of each kind."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from ..errors import InputError
from ..typed_fields import FieldError, read, then
from .record import RECORD, Amount

MOST_TOKENS = 1e9
"""The largest wake-up that is reckoned with."""
MOST_USD = 1e6
"""Dollars a million tokens may cost; more is a slip of the pen."""

SMALL_MODEL_SHARE = 1 / 3
"""What a small model takes of the price of a mid-size one: $1, $0.10 and $5 a million tokens of new
input, cached input and output beside $3, $0.30 and $15 (Claude Haiku 4.5 beside Claude Sonnet 4.5,
public price list of 2026)."""


@dataclass(frozen=True, slots=True)
class TokenKinds:
    """A figure for each kind of token: new input, input read from a cache, and output."""

    input: Amount
    cached_input: Amount
    output: Amount

    @property
    def total(self) -> float:
        return self.input + self.cached_input + self.output


def _affordable(kinds: TokenKinds) -> TokenKinds:
    for name in ("input", "cached_input", "output"):
        if (usd := getattr(kinds, name)) > MOST_USD:
            raise FieldError(f"be at most {MOST_USD:g}", usd, (name,))
    return kinds


UsdPerMillion = Annotated[TokenKinds, then(_affordable)]


@dataclass(frozen=True, slots=True)
class Prices:
    """usd_per_million: dollars a million tokens. tokens: of one wake-up. source: where from.

    small_usd_per_million: the same of a small model; None where it takes a third.
    """

    usd_per_million: UsdPerMillion
    tokens: TokenKinds
    source: str = ""
    small_usd_per_million: UsdPerMillion | None = None

    @property
    def tokens_per_wake(self) -> int:
        return round(self.tokens.total)

    @property
    def usd_per_wake(self) -> float:
        return _usd(self.usd_per_million, self.tokens)

    @property
    def small_usd_per_wake(self) -> float:
        """What a small model takes for a wake-up of the same size."""
        if self.small_usd_per_million is None:
            return self.usd_per_wake * SMALL_MODEL_SHARE
        return _usd(self.small_usd_per_million, self.tokens)

    @property
    def usd_per_million_tokens(self) -> float:
        """What a million tokens of wake-ups cost, all kinds together."""
        return self.usd_per_wake * 1e6 / self.tokens.total

    def of_size(self, tokens_per_wake: int) -> Prices:
        """The same prices and shares for wake-ups of another size."""
        factor, kinds = tokens_per_wake / self.tokens.total, self.tokens
        tokens = TokenKinds(
            kinds.input * factor, kinds.cached_input * factor, kinds.output * factor
        )
        return replace(self, tokens=tokens)


def read_prices(path: str) -> Prices:
    """The prices of a JSON file. Raises InputError naming the file and what is wrong in it.

    `{"usd_per_million": {"input": 3, "cached_input": 0.3, "output": 15}, "tokens": {"input": 14000,
    "cached_input": 86000, "output": 700}}`; `source`, a sentence, is optional, and so is
    `small_usd_per_million`, the prices of a small model.
    """
    try:
        raw = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} must be a readable file of prices ({error.strerror})") from None
    except RecursionError:
        raise InputError(f"{path} must be nested less deep") from None
    except ValueError as error:
        raise InputError(f"{path} must be JSON ({error})") from None
    if isinstance(raw, dict):
        raw = {"source": "", "small_usd_per_million": None, **raw}
    try:
        prices: Prices = read(Prices, raw, RECORD, "prices")
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if prices.tokens.total < 1:
        raise InputError(f"{path}: prices.tokens must be at least 1 in all, got 0")
    if prices.tokens.total > MOST_TOKENS:
        rule = f"must be at most {MOST_TOKENS:.0f} in all"
        raise InputError(f"{path}: prices.tokens {rule}, got {prices.tokens.total:g}")
    return prices


def _usd(price: TokenKinds, tokens: TokenKinds) -> float:
    return (
        price.input * tokens.input
        + price.cached_input * tokens.cached_input
        + price.output * tokens.output
    ) / 1e6


USUAL_PRICES = Prices(
    usd_per_million=TokenKinds(3.0, 0.3, 15.0),
    tokens=TokenKinds(13_711, 86_278, 686),
    source=(
        "prices of mid-size models by the public lists of 2026; shares of 28 always-on agents"
        " (openclaw/openclaw#81014); size of a heartbeat (openclaw/openclaw#46634)"
    ),
)
"""Assumed where nobody said: 86 % of the tokens are read from a cache."""

TOKENS_PER_WAKE = USUAL_PRICES.tokens_per_wake
