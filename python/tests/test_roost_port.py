"""The port at which torchrun's workers meet, python/in_run/roost_port.py and roost_torch.py."""
import socket
import subprocess
import sys
from pathlib import Path

import pytest

IN_RUN = Path(__file__).resolve().parents[1] / "in_run"


@pytest.fixture
def roost_port(monkeypatch):
    monkeypatch.syspath_prepend(str(IN_RUN))
    import roost_port as module

    yield module
    for name in module._held:
        name.close()
    module._held.clear()


def test_it_is_none_that_the_kernel_gives_away(roost_port) -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for _ in range(20):
        with roost_port.bound_socket() as listener:
            assert roost_port.FIRST <= listener.getsockname()[1] < first


def test_nobody_of_roost_takes_it_once_it_was_let_go(roost_port, monkeypatch) -> None:
    monkeypatch.setattr(roost_port, "_first_of_the_kernel", lambda: roost_port.FIRST + 3)
    ports = set()
    for _ in range(3):
        with roost_port.bound_socket() as listener:
            ports.add(listener.getsockname()[1])
    assert ports == {roost_port.FIRST, roost_port.FIRST + 1, roost_port.FIRST + 2}


def test_all_are_taken(roost_port, monkeypatch) -> None:
    monkeypatch.setattr(roost_port, "_first_of_the_kernel", lambda: roost_port.FIRST)
    with roost_port.bound_socket() as listener:
        assert listener.getsockname()[1] > 0


def test_a_port_that_is_used_is_passed_over(roost_port, monkeypatch) -> None:
    with roost_port.bound_socket() as other:
        port = other.getsockname()[1]
        monkeypatch.setattr(roost_port, "FIRST", port)
        monkeypatch.setattr(roost_port, "_first_of_the_kernel", lambda: port + 1)
        for name in roost_port._held:
            name.close()
        with roost_port.bound_socket() as listener:
            assert listener.getsockname()[1] != port


def test_torch_is_given_it(tmp_path: Path) -> None:
    folder = tmp_path / "torch" / "distributed" / "elastic" / "utils"
    folder.mkdir(parents=True)
    for each in (folder, *list(folder.parents)[:3]):
        (each / "__init__.py").write_text("")
    (folder / "distributed.py").write_text(
        "def get_socket_with_port():\n    return None\n"
        "def get_free_port():\n    with get_socket_with_port() as s: return s.getsockname()[1]\n"
    )
    code = "import torch.distributed.elastic.utils.distributed as d; print(d.get_free_port())"
    path = {"PYTHONPATH": f"{IN_RUN}:{tmp_path}"}
    done = subprocess.run([sys.executable, "-c", code], env=path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with socket.socket() as free:
        free.bind(("", int(done.stdout)))
