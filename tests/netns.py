"""Hosts for tests: network namespaces on a bridge, each with an address of its own."""
import os
import subprocess
from typing import Any, Dict, List


def _ip(*words: str, check: bool = True) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=20)
    assert not check or done.returncode == 0, (words, done.stderr)


def can_make_hosts() -> bool:
    probe = f"roost-probe-{os.getpid()}"
    try:
        made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, timeout=20).returncode == 0
        if made:
            subprocess.run(["ip", "netns", "del", probe], capture_output=True, timeout=20)
        return made
    except OSError:
        return False


def take_bridge(prefix: str) -> int:
    """Makes the bridge `prefix`N for an N below 200 that nobody on this machine has, and returns N: test processes beside one
    another get addresses apart."""
    for step in range(200):
        number = (os.getpid() + step) % 200
        made = subprocess.run(["ip", "link", "add", f"{prefix}{number}", "type", "bridge"], capture_output=True, text=True, timeout=20)
        if made.returncode == 0:
            return number
        assert "File exists" in made.stderr, made.stderr
    raise AssertionError(f"200 bridges are left over: ip link del {prefix}0 and so on")


class Hosts:
    """`count` hosts beside one another and this machine, which is at `server_address`. Close it at the end."""

    def __init__(self, count: int) -> None:
        number = take_bridge("rst")
        self.bridge, net = f"rst{number}", f"10.{120 + number % 100}.{number}"
        self.server_address = f"{net}.254"
        self.names = [f"{self.bridge}h{i}" for i in range(count)]
        self.addresses = [f"{net}.{i + 1}" for i in range(count)]
        try:
            _ip("addr", "add", f"{self.server_address}/24", "dev", self.bridge)
            _ip("link", "set", self.bridge, "up")
            for name, address in zip(self.names, self.addresses):
                self._add(name, address)
        except BaseException:
            self.close()
            raise

    def _add(self, name: str, address: str) -> None:
        _ip("netns", "add", name)
        _ip("link", "add", f"{name}o", "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("link", "set", f"{name}o", "master", self.bridge)
        _ip("link", "set", f"{name}o", "up")
        for words in (["addr", "add", f"{address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                      ["link", "set", "lo", "up"]):
            _ip("-n", name, *words)

    def config(self) -> List[Dict[str, Any]]:
        """For "hosts" of a server's configuration."""
        return [{"address": address, "start": ["ip", "netns", "exec", name]}
                for name, address in zip(self.names, self.addresses)]

    def cut_off(self, index: int) -> None:
        """Takes the host's cable out."""
        _ip("link", "set", f"{self.names[index]}o", "down")

    def part(self) -> None:
        """No host reaches another any more; each still reaches this machine."""
        for name, address in zip(self.names, self.addresses):
            for other in self.addresses:
                if other != address:
                    _ip("-n", name, "route", "add", "blackhole", f"{other}/32")

    def close(self) -> None:
        for name in self.names:
            _ip("netns", "del", name, check=False)
        _ip("link", "del", self.bridge, check=False)
