"""What every measure needs: a server on a folder of its own, its API, timed commands."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, TypeVar

PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
ACTIVE = "NotStarted,Starting,Preparing,Queued,Provisioning,Running,Finalizing,CancelRequested,NotResponding"
T = TypeVar("T")


class Bench:
    """The program under test, the sizes, and a scratch folder that close() removes."""

    def __init__(self, roost: str, quick: bool) -> None:
        self.roost = str(Path(roost).resolve())
        self.quick = quick
        self.scratch = Path(tempfile.mkdtemp(prefix="roost-bench-"))

    def close(self) -> None:
        end_processes_of(self.scratch)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def size(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    @contextlib.contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        path = Path(tempfile.mkdtemp(prefix=name + "-", dir=self.scratch))
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    @contextlib.contextmanager
    def server(self, data: Optional[Path] = None, config: Optional[Dict[str, Any]] = None) -> Iterator["Server"]:
        """A server that serves. It, its runners and their runs have ended when the block has."""
        with self.folder("server") as folder:
            server = Server(self.roost, data or folder / "data", folder, config)
            try:
                server.start()
                yield server
            finally:
                server.close()


class Server:
    def __init__(self, roost: str, data: Path, folder: Path, config: Optional[Dict[str, Any]] = None) -> None:
        self.roost = roost
        self._config = folder / "roost.yaml" if config else None
        if self._config:
            self._config.write_text(json.dumps({"data": str(data), "port": 0, **(config or {})}), encoding="utf-8")
        self.data = data
        self.output = folder / "server.out"
        self.environment = clean_environment(folder)
        self._process: Optional[subprocess.Popen] = None

    def start(self) -> None:
        command = [self.roost, "up", "--data", str(self.data), "--port", "0"]
        if self._config:
            command = [self.roost, "server", "--config", str(self._config)]
        with open(self.output, "ab") as output:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                             env=self.environment, start_new_session=True)
        wait_until(self._serves, 60, "the server to answer")

    def close(self) -> None:
        if self._process is None:
            return
        try:
            if self._process.poll() is None:
                self.command("down", timeout=60)
                self._process.wait(60)
        except (subprocess.SubprocessError, RuntimeError) as error:
            print(f"bench: roost down failed, so its processes are killed: {error}", file=sys.stderr)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait(10)
            end_processes_of(self.data)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def memory_mb(self, field: str) -> float:
        """VmRSS (now) or VmHWM (highest so far) of the server process."""
        return memory_mb(self.pid, field)

    def connect(self) -> "Api":
        info = json.loads((self.data / "server.json").read_text(encoding="utf-8"))
        return Api(info["url"], Path(info["token_file"]).read_text(encoding="utf-8").strip())

    def arguments(self, *words: str) -> List[str]:
        return [self.roost, "--data", str(self.data), *words]

    def command(self, *words: str, cwd: Optional[Path] = None, timeout: float = 300) -> float:
        """Runs `roost WORDS`; gives back how long it took."""
        return timed_command(self.arguments(*words), self.environment, cwd, timeout)

    def _serves(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            text = self.output.read_text(encoding="utf-8", errors="replace")[-500:]
            raise RuntimeError(f"roost up ended with {self._process.returncode}: {text}")
        try:
            if json.loads((self.data / "server.json").read_text(encoding="utf-8"))["pid"] != self.pid:
                return False
            with self.connect() as api:
                return api.send("GET", "/healthz")[0] == 200
        except (OSError, ValueError, KeyError, http.client.HTTPException):
            return False


class Api:
    """One keep-alive connection. For one thread."""

    def __init__(self, url: str, token: str) -> None:
        address = urllib.parse.urlsplit(url)
        self._connection = http.client.HTTPConnection(address.hostname or "127.0.0.1", address.port, timeout=300)
        self._headers = {"Authorization": f"Bearer {token}"}

    def __enter__(self) -> "Api":
        return self

    def __exit__(self, *unused: Any) -> None:
        self._connection.close()

    def send(self, method: str, path: str, body: Optional[bytes] = None) -> "tuple[int, bytes]":
        headers = {**self._headers, "Content-Type": "application/json"} if body else self._headers
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """JSON in and out below /api/v1; fails on any status that is not 2xx."""
        data = None if body is None else json.dumps(body).encode()
        status, answer = self.send(method, "/api/v1" + path, data)
        if status // 100 != 2:
            raise RuntimeError(f"{method} {path}: {status} {answer[:300].decode(errors='replace')}")
        return json.loads(answer) if answer else None

    def stream(self, path: str, piece: int = 1 << 20) -> Iterator[bytes]:
        self._connection.request("GET", "/api/v1" + path, headers=self._headers)
        answer = self._connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status}")
        while True:
            data = answer.read(piece)
            if not data:
                return
            yield data

    def create_compute(self, name: str, min_nodes: int, max_nodes: int) -> None:
        size = self.call("GET", "/vm-sizes")["items"][0]["name"]
        self.call("POST", "/workspaces/default/computes",
                  {"name": name, "vm_size": size, "min_nodes": min_nodes, "max_nodes": max_nodes,
                   "idle_seconds_before_scaledown": 600})
        self.wait_for_idle_nodes(name, min_nodes)

    def create_busy_compute(self, name: str) -> None:
        """One node that sleeps, so that what is submitted to it waits until the server is ended."""
        self.create_compute(name, 1, 1)
        run = self.submit(experiment="busy", command="sleep 3600", compute=name)
        wait_until(lambda: self.call("GET", f"/runs/{run}")["status"] == "Running", 60, "the node to be busy")

    def wait_for_idle_nodes(self, compute: str, count: int) -> None:
        path = f"/workspaces/default/computes/{compute}"
        wait_until(lambda: self.call("GET", path)["node_state_counts"]["idle"] >= count, 60,
                   f"{count} idle nodes of {compute}")

    def submit(self, **spec: Any) -> str:
        return self.call("POST", "/workspaces/default/runs", spec)["id"]

    def wait_for_run(self, run: str, seconds: float = 300, pause: float = 0.01) -> Dict[str, Any]:
        """Waits for the end of a run, which has to be Completed."""
        def ended() -> Optional[Dict[str, Any]]:
            found = self.call("GET", f"/runs/{run}")
            return found if found["status"] in ("Completed", "Failed", "Canceled") else None

        found = wait_until(ended, seconds, f"the end of {run}", pause)
        if found["status"] != "Completed":
            raise RuntimeError(f"run {run} is {found['status']}: {found.get('error')}")
        return found

    def wait_until_no_run_is_active(self, seconds: float = 300) -> None:
        path = f"/workspaces/default/runs?limit=1&status={ACTIVE}"
        wait_until(lambda: not self.call("GET", path)["items"], seconds, "all runs to end")


def clean_environment(home: Path) -> Dict[str, str]:
    """The user's own settings, caches and servers stay out of it."""
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {"PATH": path, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "LANG": "C.UTF-8",
            "TERM": "dumb", "TMPDIR": tempfile.gettempdir(), "GIT_CONFIG_NOSYSTEM": "1"}


def timed_command(command: Sequence[str], environment: Dict[str, str], cwd: Optional[Path] = None,
                  timeout: float = 300) -> float:
    start = time.monotonic()
    done = subprocess.run(command, env=environment, cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    elapsed = time.monotonic() - start
    if done.returncode != 0:
        error = done.stderr.decode(errors="replace")[-500:]
        raise RuntimeError(f"{' '.join(command[:6])} ended with {done.returncode}: {error}")
    return elapsed


def wait_until(condition: Callable[[], T], seconds: float, what: str, pause: float = 0.01) -> T:
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(pause)


def percentile(values: Sequence[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def memory_mb(pid: int, field: str) -> float:
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"process {pid} has no {field}")


def end_processes_of(folder: Path) -> None:
    """Kills, one by one, processes that name this folder (made by the bench) or work below it."""
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid() and _belongs_to(entry, str(folder)):
            with contextlib.suppress(OSError):
                os.kill(int(entry), signal.SIGKILL)


def _belongs_to(pid: str, folder: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            if any(word.decode(errors="replace").startswith(folder) for word in file.read().split(b"\0")):
                return True
        return os.readlink(f"/proc/{pid}/cwd").startswith(folder + "/")
    except OSError:
        return False
