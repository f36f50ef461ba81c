"""A router for one project, with the sandbox to try modules in."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..routing.layout import Layout
from ..routing.run.router import Router
from ..runtime.models.embedding import WORDLLAMA, FunctionEmbedder, WordLlamaEmbedder

if TYPE_CHECKING:
    from ..protocols import CodeModel, Embedder, Runner
    from ..routing.run.workbench import Operator, Waiting
    from ..routing.trace import Show
    from ..sandbox.backends import Backend
    from ..settings.routing import Routing, Sandbox


def build_layout(settings: Routing, workflows: Path) -> Layout:
    """The folders of the project whose tools lie in `workflows`."""
    return Layout.of(workflows, settings.log_dir, settings.tmp_dirname)


def build_router(
    settings: Routing,
    layout: Layout,
    *,
    operator: Operator | None = None,
    show: Show | None = None,
    waiting: Waiting = nullcontext,
    tries: bool = True,
    allow_weak_sandbox: bool = False,
) -> Router:
    """A router as the settings say. tries: whether modules will be tried out.

    Raises InputError for settings that name something that is not there.
    """
    return Router(
        layout,
        settings,
        runner=build_runner(settings, allow_weak=allow_weak_sandbox) if tries else None,
        model=build_model(settings, layout) if tries else None,
        embedder=build_embedder(settings),
        operator=operator,
        show=show,
        waiting=waiting,
    )


def build_runner(settings: Routing, *, allow_weak: bool = False) -> Runner:
    """The sandbox, with the limits of the settings.

    Raises InputError for an invalid host, and for a credential that the environment lacks.
    """
    from ..sandbox import Limits, SandboxRunner

    sandbox = settings.sandbox
    return SandboxRunner(
        Limits(max_seconds=sandbox.max_seconds, max_mem_mb=sandbox.max_mem_mb),
        level_asked=sandbox.level,
        network=sandbox.network == "on",
        allow_weak=allow_weak,
        backend=build_backend(sandbox),
    )


def build_backend(settings: Sandbox) -> Backend:
    """How commands are held: by the launcher, with a proxy beside it, or by an OCI runtime."""
    from ..sandbox.backends import LauncherBackend

    if settings.runtime:
        from ..sandbox.backends.oci_backend import OciBackend

        return OciBackend(settings.runtime)
    if settings.network != "hosts":
        return LauncherBackend()
    from ..sandbox.backends.proxy_backend import ProxyBackend
    from ..sandbox.proxy import Credential, Hosts

    credentials = [
        Credential(name, _secret(name), hosts) for name, hosts in settings.credentials.items()
    ]
    return ProxyBackend(Hosts(settings.hosts), credentials)


def _secret(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise InputError(f"credential {name!r} must be a variable of the environment, got none")
    return value


def build_model(settings: Routing, layout: Layout) -> CodeModel | None:
    """Who writes modules, None when nobody is configured."""
    from ..routing.generation.code_models import code_model

    return code_model(settings.model, layout.root.parent)


def build_embedder(settings: Routing) -> Embedder | None:
    """The embedder that `routing.embedder` names, when embeddings are enabled."""
    if not settings.embeddings_enabled:
        return None
    if settings.embedder == WORDLLAMA:
        return WordLlamaEmbedder()
    return FunctionEmbedder(settings.embedder, "routing.embedder")
