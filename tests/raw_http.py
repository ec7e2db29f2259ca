"""HTTP by hand, for requests no decent client would send."""
import socket
from typing import Optional

from http_api import Answer
from roost_fixture import RoostServer


def connect(server: RoostServer, timeout: float = 20, source: str = "") -> socket.socket:
    """`source` is the address to come from: this machine has all of 127.0.0.0/8."""
    url = server.api_client.url
    return socket.create_connection((url.hostname, url.port), timeout=timeout,
                                    source_address=(source, 0) if source else None)


def exchange(server: RoostServer, request: bytes) -> Optional[Answer]:
    """Sends bytes, says that there will be no more, and reads the answer; None if the server hung up."""
    with connect(server) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        return read_answer(connection)


def send_body(server: RoostServer, method: str, path: str, start: bytes, megabytes: int, chunked: bool) -> Answer:
    """Sends a body of `start` and then many x until the server answers or hangs up."""
    pieces = [start] + [b"x" * 1_000_000] * megabytes
    size = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {sum(map(len, pieces))}"
    with connect(server) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.api_client.token}\r\n"
                           f"Content-Type: application/json\r\n{size}\r\n\r\n".encode())
        try:
            for piece in pieces:
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            connection.sendall(b"0\r\n\r\n" if chunked else b"")
        except OSError:
            pass  # it had enough; the answer is on its way
        answer = read_answer(connection)
    assert answer is not None, "the server hung up without an answer"
    return answer


def read_answer(connection: socket.socket) -> Optional[Answer]:
    data = b""
    try:
        while True:
            head, separator, body = data.partition(b"\r\n\r\n")
            headers = _headers(head) if separator else {}
            if separator and len(body) >= int(headers.get("content-length", "0")):
                return Answer(int(head.split()[1]), headers, body)
            piece = connection.recv(65536)
            if not piece:
                return None
            data += piece
    except ConnectionError:
        return None


def _headers(head: bytes) -> dict:
    lines = head.decode("latin-1").split("\r\n")[1:]
    return {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
