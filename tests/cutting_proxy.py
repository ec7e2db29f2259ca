"""A TCP proxy that breaks one connection in the middle of an answer."""
import socket
import threading
from typing import Optional


class CuttingProxy:
    """Forwards to the server on `port`; the first connection on which `after` bytes came back is cut off."""

    def __init__(self, port: int, after: int) -> None:
        self._upstream, self._after = port, after
        self.cuts = 0
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._upstream))
            threading.Thread(target=self._copy, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self._copy, args=(server, client, self._after), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket, limit: Optional[int]) -> None:
        copied = 0
        try:
            while piece := source.recv(1 << 16):
                copied += len(piece)
                if limit is not None and copied > limit and self._may_cut():
                    break
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _may_cut(self) -> bool:
        with self._lock:
            self.cuts += 1
            return self.cuts == 1
