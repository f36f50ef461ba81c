"""Addresses of Ray clusters, and what is said where there is none."""

from __future__ import annotations

import signal
import sys

import pytest

from postgres_server import free_port
from prefrontal.assembly.sweeps.ray_workers import run_on_ray
from prefrontal.assembly.sweeps.worker import read_answer
from prefrontal.cli.watch.partitions.machine_actor import MachineActor
from prefrontal.cli.watch.partitions.plan import NodePlan
from prefrontal.errors import InputError, SourceError
from prefrontal.ray_cluster import check_address, first_line, ray_cluster


@pytest.mark.parametrize(
    "address", ["", "here", "10.0.0.1", "host:0", "host:70000", "http://host:1", "ray://host"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InputError, match=r"--ray must be auto, local, HOST:PORT or ray://HOST:"):
        check_address(address)


def test_a_cluster_that_nobody_listens_for_is_named() -> None:
    address = f"127.0.0.1:{free_port()}"
    for each in (address, f"ray://{address}"):
        with pytest.raises(SourceError, match=rf"Ray at {each} cannot be reached: .*ray start"):
            check_address(each)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(InputError, match=r"--ray needs the extra \[ray\]: pip install"):
        ray_cluster("auto", 1).__enter__()
    assert signal.getsignal(signal.SIGTERM) == before


def test_another_version_on_a_machine_is_refused() -> None:
    with pytest.raises(InputError, match="prefrontal must be 0 on each machine of the cluster"):
        read_answer(run_on_ray("0", "histories", "", "{}", {}))
    with pytest.raises(InputError, match="prefrontal must be 0 on each machine of the cluster"):
        MachineActor(NodePlan("auto", 1, None, {}), "0")


def test_an_error_is_told_in_one_line() -> None:
    assert first_line(RuntimeError("\n  no cluster\nstack\n")) == "no cluster"
    assert first_line(RuntimeError("")) == "RuntimeError"
