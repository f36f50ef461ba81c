"""The sandbox that the settings ask for."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prefrontal.assembly.router import build_runner
from prefrontal.errors import InputError
from prefrontal.sandbox import SandboxRunner
from prefrontal.sandbox.backends import LauncherBackend
from prefrontal.sandbox.backends.oci_backend import OciBackend
from prefrontal.sandbox.backends.proxy_backend import ProxyBackend
from prefrontal.sandbox.ladder import rung
from prefrontal.settings import parse_settings


def runner_of(**sandbox: Any) -> SandboxRunner:
    runner = build_runner(parse_settings({"routing": {"sandbox": sandbox}}).routing)
    assert isinstance(runner, SandboxRunner)
    return runner


def test_without_a_word_it_is_the_launcher_of_the_package() -> None:
    assert runner_of().backend == LauncherBackend()
    assert runner_of(network="on").network


def test_a_runtime_holds_commands_instead() -> None:
    backend = runner_of(runtime=["runsc", "--network=none"]).backend
    assert backend == OciBackend(("runsc", "--network=none"))


@pytest.mark.skipif(not rung("namespace").works, reason=rung("namespace").why)
def test_a_list_of_hosts_and_a_secret_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "secret-of-the-environment")
    runner = runner_of(
        network="hosts", hosts=["api.example.org"], credentials={"API_TOKEN": ["api.example.org"]}
    )
    assert isinstance(runner.backend, ProxyBackend) and runner.enforced
    program = "import os; print(os.environ['API_TOKEN'])"
    result = runner.run([sys.executable, "-c", program], scratch=tmp_path)
    assert len(result.stdout.strip()) == len("secret-of-the-environment")
    assert b"secret" not in result.stdout


def test_a_secret_that_the_environment_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("API_TOKEN", raising=False)
    with pytest.raises(InputError, match="credential 'API_TOKEN' must be a variable of the envir"):
        runner_of(network="hosts", hosts=["a.org"], credentials={"API_TOKEN": ["a.org"]})


@pytest.mark.parametrize(
    ("sandbox", "sentence"),
    [
        ({"hosts": ["a.org"]}, "have hosts and credentials with network: hosts alone"),
        ({"network": "on", "credentials": {"T": ["a.org"]}}, "with network: hosts alone"),
        ({"network": "hosts"}, "list hosts with network: hosts"),
        ({"network": "on", "runtime": ["runsc"]}, "have no network with a runtime"),
        ({"network": "hosts", "hosts": ["a b"]}, "hosts must be hosts such as"),
        ({"network": "some"}, "routing.sandbox.network must be"),
        ({"network": "hosts", "hosts": "a.org"}, "routing.sandbox.hosts must be"),
        ({"network": "hosts", "hosts": ["a.org"], "credentials": ["T"]}, "credentials must be"),
        ({"network": "hosts", "hosts": ["a.org"], "credentials": {"T": "a"}}, "credentials.T must"),
        ({"runtime": "runsc"}, "routing.sandbox.runtime must be"),
    ],
)
def test_settings_that_contradict_themselves_are_refused(
    sandbox: Mapping[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        runner_of(**sandbox)
    assert sentence in str(caught.value)
