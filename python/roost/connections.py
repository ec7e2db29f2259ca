"""HTTP connections to one server, kept open between calls."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import http.client
    import ssl

SOCKET_TIMEOUT_SECONDS = 300.0
_REUSED_FOR_SECONDS = 30.0  # half of the time after which the server closes an idle connection
_MOST_IDLE = 8
_OPTIONS: Dict[str, Any] = {"blocksize": 1 << 18} if sys.version_info >= (3, 7) else {}
_LOCAL = ("localhost", "127.0.0.1", "::1")


class _Idle(NamedTuple):
    connection: http.client.HTTPConnection
    since: float


class Connections:
    """Lends connections. Any thread may borrow; a forked child starts with none."""

    def __init__(self, url: str, ca_file: Optional[str]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address such as http://127.0.0.1:7420")
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port or (443 if self._secure else 80)
        self._prefix = parts.path.rstrip("/")
        self._ca_file = ca_file
        self._context: Optional[ssl.SSLContext] = None
        self._idle: List[_Idle] = []
        self._pid = os.getpid()
        self._proxy: Optional[str] = None
        self._asked_for_proxy = False

    def borrow(self) -> http.client.HTTPConnection:
        """An open connection that the server has not closed, or one that opens on use."""
        if self._pid != os.getpid():
            self._pid, self._idle = os.getpid(), []
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                return self.new()
            if time.monotonic() - since < _REUSED_FOR_SECONDS and _is_quiet(connection):
                return connection
            connection.close()

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        """Only after its answer was read to the end."""
        if len(self._idle) < _MOST_IDLE and self._pid == os.getpid():
            self._idle.append(_Idle(connection, time.monotonic()))
        else:
            connection.close()

    def new(self, timeout: float = SOCKET_TIMEOUT_SECONDS) -> http.client.HTTPConnection:
        import http.client

        proxy = self._find_proxy()
        host, port = _host_and_port(proxy) if proxy else (self._host, self._port)
        if not self._secure:
            return http.client.HTTPConnection(host, port, timeout=timeout, **_OPTIONS)
        connection = http.client.HTTPSConnection(
            host, port, timeout=timeout, context=self._tls_context(), **_OPTIONS
        )
        if proxy:
            connection.set_tunnel(self._host, self._port)
        return connection

    def target(self, path: str) -> str:
        """What to ask for: the path, or the whole address when a proxy stands between."""
        if self._find_proxy() and not self._secure:
            return f"http://{self._host}:{self._port}{self._prefix}{path}"
        return self._prefix + path

    def headers(self) -> Dict[str, str]:
        return {"Host": f"{self._host}:{self._port}"} if self._find_proxy() else {}

    def _find_proxy(self) -> Optional[str]:
        if self._asked_for_proxy:
            return self._proxy
        if self._host not in _LOCAL and any(name.lower().endswith("_proxy") for name in os.environ):
            from urllib.request import getproxies, proxy_bypass

            if not proxy_bypass(self._host):
                self._proxy = getproxies().get("https" if self._secure else "http")
        self._asked_for_proxy = True
        return self._proxy

    def _tls_context(self) -> ssl.SSLContext:
        if self._context is None:
            import ssl

            self._context = ssl.create_default_context(cafile=self._ca_file)
        return self._context


def _is_quiet(connection: http.client.HTTPConnection) -> bool:
    """False when the server has hung up: then there is an end of file to read."""
    import select

    if connection.sock is None:
        return True
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(connection.sock, select.POLLIN)
            return not poll.poll(0)
        return not select.select([connection.sock], [], [], 0)[0]
    except (OSError, ValueError):
        return False


def _host_and_port(proxy: str) -> Tuple[str, int]:
    parts = urlsplit(proxy if "://" in proxy else "http://" + proxy)
    return parts.hostname or "", parts.port or 80
