"""Embedding models: a server with the OpenAI API, or a package on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ...errors import InputError, PrefrontalError
from ...plain_text import visible
from ...redaction import redact
from ...typed_fields import Must, Shape, read
from .settings import Seconds, Text, Url

if TYPE_CHECKING:
    from ...protocols import Embedder

WORDLLAMA = "wordllama"
_MOST_BYTES = 64 << 20
_REFUSALS = (400, 413, 422)
"""Answers that may mean one text of several."""
Cosine = Annotated[
    float, Must("be a number in -1..1", lambda least: -1 <= least <= 1, covers_type=True)
]


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Vectors of what was said, by an embedding model.

    provider: who computes; none: nobody, and search goes by words. model: its name at the server; a
    name or folder for `sentence-transformers`; "package.module:function" for `function`; none for
    `wordllama`, the model in the package of that name (the extra `embeddings`). base_url:
    of the server, usually ending in /v1. api_key_env: the environment variable with the key.
    timeout_seconds: of a request. least_similarity: cosine from which on a message fits by meaning.
    """

    provider: Literal["", "wordllama", "openai-compatible", "sentence-transformers", "function"] = (
        ""
    )
    model: Text = ""
    base_url: Url = ""
    api_key_env: Text = ""
    timeout_seconds: Seconds = 20.0
    least_similarity: Cosine = 0.2

    @property
    def name(self) -> str:
        """What vectors of different models are told apart by; "" for none."""
        return f"{self.provider}:{self.model}" if self.provider else ""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What stands under `memory`."""

    embeddings: EmbeddingSettings = EmbeddingSettings()


class RefusedTextError(PrefrontalError):
    """The model refuses one of the texts; without it the others may be taken."""


def embedding_settings(memory: object) -> EmbeddingSettings:
    """Check what stands under `memory`. Raises InputError naming the key, the rule and the value.

    Also for a provider that lacks a model or has one too many, or a server without an address.
    """
    section = {} if memory is None else memory
    settings: EmbeddingSettings = read(MemorySettings, section, Shape(), "memory").embeddings
    provider = settings.provider
    if provider == WORDLLAMA and settings.model:
        rule = "be left out for the provider 'wordllama'"
        raise InputError(f"memory.embeddings.model must {rule}, got {settings.model!r}")
    if provider and provider != WORDLLAMA and not settings.model:
        rule = f"name the model for the provider {provider!r}"
        raise InputError(f"memory.embeddings.model must {rule}, got ''")
    if provider == "openai-compatible" and not settings.base_url:
        rule = "be the address of the server for the provider 'openai-compatible'"
        raise InputError(f"memory.embeddings.base_url must {rule}, got ''")
    return settings


def choose_embedder(settings: EmbeddingSettings) -> Embedder | None:
    """The embedding model, None where none is configured; a package is imported at the first text.

    Raises InputError for a function that is not there, PrefrontalError for a missing key.
    """
    if settings.provider == WORDLLAMA:
        return WordLlamaEmbedder()
    if settings.provider == "openai-compatible":
        return RemoteEmbedder(settings)
    if settings.provider == "sentence-transformers":
        return SentenceTransformersEmbedder(settings.model)
    if settings.provider == "function":
        return FunctionEmbedder(settings.model, "memory.embeddings.model")
    return None


class RemoteEmbedder:
    """Asks a server for `POST /embeddings`, once; follows no redirect, which would get the key."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._server = f"the embedding model {settings.model!r} at {settings.base_url}"
        variable = settings.api_key_env
        self._key = os.environ.get(variable) if variable else None
        if variable and not self._key:
            rule = "be set to the model's key (memory.embeddings.api_key_env)"
            raise PrefrontalError(f"{variable} must {rule}")
        from ...http_client import PageReader

        self._reader = PageReader(settings.timeout_seconds, _MOST_BYTES, follows=False)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each. Raises RefusedTextError, or PrefrontalError with the reason."""
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        body = json.dumps({"model": self._settings.model, "input": list(texts)}).encode()
        url = self._settings.base_url.rstrip("/") + "/embeddings"
        page = self._reader.read(url, headers, self._server, body)
        if page.status != 200:
            reason = visible(redact(page.body.decode(errors="replace")), 300)
            kind = RefusedTextError if page.status in _REFUSALS else PrefrontalError
            raise kind(f"{self._server} answers with the error {page.status}: {reason}")
        return self._vectors(page.body, len(texts))

    def _vectors(self, body: bytes, count: int) -> list[list[float]]:
        try:
            rows: Any = sorted(json.loads(body)["data"], key=lambda row: int(row["index"]))
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (ValueError, TypeError, KeyError, RecursionError):
            vectors = []
        if len(vectors) != count or len({len(vector) for vector in vectors}) != 1:
            got = visible(redact(body[:2000].decode(errors="replace")), 300)
            raise PrefrontalError(f"{self._server} must answer with {count} vectors, got: {got}")
        return vectors


class WordLlamaEmbedder:
    """The 256 numbers a text of the model in the package wordllama; loaded at the first text."""

    def __init__(self) -> None:
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Raises PrefrontalError where the package or its model is missing."""
        if self._model is None:
            self._model = self._loaded()
        vectors: Sequence[Sequence[float]] = self._model.embed(list(texts))
        return vectors

    def _loaded(self) -> Any:
        try:
            package = import_module(WORDLLAMA)
        except ImportError as error:
            rule = "have its package: pip install 'prefrontal[embeddings]'"
            raise PrefrontalError(f"the embedder 'wordllama' must {rule}") from error
        # The package looks for its tokenizer in a folder of another name, and would fetch it.
        folder = Path(package.__file__ or "").parent
        try:
            return package.WordLlama.load(cache_dir=folder, disable_download=True)
        except Exception as error:
            reason = visible(str(error), 300)
            raise PrefrontalError(f"the model of wordllama cannot be loaded: {reason}") from error


class SentenceTransformersEmbedder:
    """A model of the package sentence-transformers, on this machine.

    model: its name or its folder; loaded, or downloaded by the package, at the first text.
    """

    def __init__(self, model: str) -> None:
        self._name = model
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._model is None:
            self._model = self._loaded()
        vectors: Sequence[Sequence[float]] = self._model.encode(
            list(texts), show_progress_bar=False
        )
        return vectors

    def _loaded(self) -> Any:
        try:
            package = import_module("sentence_transformers")
        except ImportError as error:
            raise PrefrontalError(
                "the provider 'sentence-transformers' must have its package:"
                " pip install sentence-transformers"
            ) from error
        try:
            return package.SentenceTransformer(self._name)
        except Exception as error:
            reason = visible(str(error), 300)
            rule = "name a model or a folder of one"
            raise PrefrontalError(
                f"memory.embeddings.model must {rule}, got {self._name!r} ({reason})"
            ) from error


class FunctionEmbedder:
    """A function from a list of texts to a list of vectors.

    name: "package.module:function". key: of the setting that holds it. Raises InputError for a
    name of nothing.
    """

    def __init__(self, name: str, key: str) -> None:
        module, _, attribute = name.partition(":")
        try:
            self._function = getattr(import_module(module), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            rule = "name a function as 'package.module:function'"
            raise InputError(f"{key} must {rule}, got {name!r} ({error})") from None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors: Sequence[Sequence[float]] = self._function(list(texts))
        return vectors
