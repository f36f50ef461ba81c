"""Meaning beside words: vectors of what was said, by a configured embedding model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ..models.embedding import RefusedTextError, choose_embedder, embedding_settings
from . import vectors
from .vectors import Meaning
from .words import is_exact

if TYPE_CHECKING:
    from ...protocols import Embedder
    from .store import ConversationStore

BATCH = 64
LONGEST = 8_000
"""Characters of a text that a model gets; most read less."""
_PLAIN = "hello"


class Semantics:
    """An embedding model, for messages and queries. name: what its vectors are told apart by.

    least: cosine from which on a message fits a query. Methods raise PrefrontalError, in a
    sentence, when the model fails; nothing is written then.
    """

    def __init__(self, embedder: Embedder, name: str, least: float = 0.2) -> None:
        self.name = name
        self._embedder = embedder
        self._least = least
        self._is_alone = False

    def meaning(self, query: str) -> Meaning | None:
        """What a query means; None where its words are to be taken exactly, and for no words."""
        if not query.strip() or is_exact(query):
            return None
        [vector] = self._embed([query])
        return Meaning(self.name, tuple(map(float, vector)), self._least)

    def embed_new(self, store: ConversationStore, after: int) -> int:
        """Write vectors of the first messages after the newest with one; returns the last id.

        after: an id up to which none is wanted. Returns `after` when all have one.
        """
        after = max(after, store.newest_vector(self.name) or 0)
        rows = store.later(after, BATCH)
        self._write(store, rows)
        return rows[-1][0] if rows else after

    def embed_old(self, store: ConversationStore, before: int | None = None) -> int | None:
        """Write vectors of the newest messages without one before an id; None: of all.

        Returns the last id, None when no message is left. What was written stays if a later call
        fails: begin again with none.
        """
        rows = store.without_vector(self.name, BATCH, before)
        self._write(store, rows)
        return rows[-1][0] if rows else None

    def _write(self, store: ConversationStore, rows: Sequence[tuple[int, str]]) -> None:
        if not rows:
            return
        packed = list(zip((number for number, _ in rows), self._packed(rows), strict=True))
        while not self._is_alone and store.delete_other_vectors(self.name):
            """A part at a time, so that messages get their turn between."""
        self._is_alone = True
        store.submit_vectors(self.name, packed).result()

    def _packed(self, rows: Sequence[tuple[int, str]]) -> list[bytes]:
        texts = [text[:LONGEST] for _, text in rows]
        try:
            return list(map(vectors.packed, self._embed(texts)))
        except RefusedTextError:
            self._embed([_PLAIN])  # refuses everything: none of the texts is to blame
        return [self._packed_alone(text) for text in texts]

    def _packed_alone(self, text: str) -> bytes:
        """The vector, or none for a text that the model refuses."""
        try:
            return vectors.packed(self._embed([text])[0])
        except RefusedTextError:
            return b""

    def _embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        try:
            made = self._embedder.embed([text if text.strip() else "." for text in texts])
        except PrefrontalError:
            raise
        except Exception as error:
            raise PrefrontalError(f"{self.name} fails: {error!r}") from error
        if len(made) != len(texts):
            rule = f"give {len(texts)} vectors"
            raise PrefrontalError(f"{self.name} must {rule}, got {len(made)}")
        return made


def configured(config: Mapping[str, Any]) -> Semantics | None:
    """The embedding model that `memory.embeddings` names; None where it names none.

    Raises InputError for unusable settings, PrefrontalError for a missing key.
    """
    settings = embedding_settings(config.get("memory"))
    embedder = choose_embedder(settings)
    return (
        None if embedder is None else Semantics(embedder, settings.name, settings.least_similarity)
    )


def close_to(semantics: Semantics | None, query: str) -> tuple[Meaning | None, str]:
    """What a query means, and a sentence of why not when the model failed; "" otherwise."""
    if semantics is None:
        return None, ""
    try:
        return semantics.meaning(query), ""
    except PrefrontalError as error:
        return None, str(error)
