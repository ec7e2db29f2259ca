"""A real Roost server on a data folder of its own, and what tests do with it."""
import hashlib
import json
import os
import subprocess
import textwrap
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Union

import contract
from http_api import FRAMES, Answer, Api, frame, query, quote
from processes import command_line, kill, processes_with, wait_until

ROOT = Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3"
TERMINAL = ("Completed", "Failed", "Canceled")
DRIVER_LOG = "azureml-logs/70_driver_log.txt"
Files = Dict[str, Union[str, bytes]]


def roost_program() -> Path:
    given = os.environ.get("ROOST_BIN")
    for path in [Path(given)] if given else [ROOT / "build" / p / "src/cli/roost" for p in ("release", "dev")]:
        if path.is_file():
            return path
    raise FileNotFoundError("no roost program: build one (make build) or name it by ROOST_BIN")


def clean_environment(folder: Path) -> Dict[str, str]:
    """Nothing of the developer's own settings but what sanitizers need."""
    kept = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
    return {**kept, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder),
            "LANG": "C.UTF-8", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1"}


class RoostServer:
    """Starts with start(), ends with close(), whatever happened between. `config` makes it `roost server`."""

    def __init__(self, folder: Path, config: Optional[Dict[str, Any]] = None, data: Optional[Path] = None) -> None:
        self.folder = folder
        self.data = data or folder / "data"
        self.config = config
        self.output_file = folder / "server.log"
        self.process: Optional[subprocess.Popen] = None
        self.api_client: Optional[Api] = None
        self.environment = {**clean_environment(folder), "ROOST_DATA": str(self.data)}
        self._killed = False

    # The server process.

    def start(self) -> "RoostServer":
        self.begin_start()
        wait_until(self._is_ready, 20, "server.json of the new server")
        info = self.info
        token = Path(info["token_file"]).read_text(encoding="utf-8").strip()
        self.api_client = Api(info["url"], token, info.get("ca_file"))
        return self

    def begin_start(self) -> subprocess.Popen:
        """Starts the process without waiting for it to serve, for servers that are expected to refuse."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.output_file, "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=self.folder, env=self.environment, start_new_session=True)
        self._killed = False
        return self.process

    def command(self) -> List[str]:
        if self.config is None:
            return [str(roost_program()), "up", "--data", str(self.data), "--port", "0"]
        path = self.folder / "roost.yaml"
        path.write_text(json.dumps({"data": str(self.data), "port": 0, **self.config}), encoding="utf-8")
        return [str(roost_program()), "server", "--config", str(path)]

    @property
    def info(self) -> Dict[str, Any]:
        return json.loads((self.data / "server.json").read_text(encoding="utf-8"))

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def output(self) -> str:
        return self.output_file.read_text(encoding="utf-8", errors="replace") if self.output_file.exists() else ""

    def kill9(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)
        self._killed = True

    def terminate(self) -> int:
        """A clean SIGTERM: training goes on. Returns the exit code."""
        assert self.process is not None
        self.process.terminate()
        code = self.process.wait(20)
        self._killed = True
        return code

    def restart(self) -> "RoostServer":
        if self.process is not None and self.process.poll() is None:
            self.terminate()
        return self.start()

    def stop(self) -> None:
        """`roost down`: ends runs, runners and the server."""
        down = self.cli("down", check=False)
        assert down.returncode == 0, down.stderr
        assert self.process is not None
        self.process.wait(20)

    def close(self) -> None:
        """Ends everything; fails if the server crashed or left a process behind."""
        problems = []
        if self.process is not None and not self._killed:
            if self.process.poll() is None:
                problems += self._try_to_stop()
            if self.process.returncode != 0:
                problems.append(f"the server ended with {self.process.returncode}")
        left = self._processes() if self._killed else self._left_after(10)
        if left and not self._killed:
            problems.append(f"processes left over: {[(pid, command_line(pid)) for pid in left]}")
        self._kill_all()
        if "Sanitizer" in self.output or "runtime error:" in self.output:
            problems.append("a sanitizer spoke")
        problems += [line for line in self.output.splitlines() if "inside a write of the database" in line]
        assert not problems, "\n".join(problems) + "\nlast output of the server:\n" + self.output[-4000:]

    def _try_to_stop(self) -> List[str]:
        try:
            self.stop()
            return []
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return [f"roost down failed: {error}"]

    def _left_after(self, seconds: float) -> List[int]:
        deadline = time.monotonic() + seconds
        while self._processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        return self._processes()

    def _kill_all(self) -> None:
        deadline = time.monotonic() + 10
        while self._processes() and time.monotonic() < deadline:
            for pid in self._processes():
                kill(pid)
            if self.process is not None:
                self.process.poll()
            time.sleep(0.02)

    def _processes(self) -> List[int]:
        return processes_with(str(self.data))

    def _is_ready(self) -> bool:
        assert self.process is not None
        code = self.process.poll()
        assert code is None, f"the server ended with {code} before it served:\n{self.output[-4000:]}"
        try:
            return self.info["pid"] == self.process.pid
        except (OSError, ValueError, KeyError):
            return False

    # Calls.

    def api(self, method: str, path: str, json: Any = None, data: Optional[bytes] = None, token: Optional[str] = None,
            content_type: str = "", check: bool = True, **more: Any) -> Answer:
        """Calls /api/v1 + path (or an absolute path that begins with //) and holds the answer to the contract."""
        assert self.api_client is not None
        full = path[1:] if path.startswith("//") else "/api/v1" + path
        body = data or b""
        if json is not None:
            body, content_type = dump(json), content_type or "application/json"
        answer = self.api_client.send(method, full, body, content_type, token, **more)
        if check:
            operation = contract.load().find(method, full)
            if operation:
                contract.load().check_answer(operation, answer)
            else:
                contract.load().check(contract.load().schema("Error"), answer.json, f"{method} {path}")
        return answer

    def get(self, path: str, **more: Any) -> Any:
        return self.expect(200, "GET", path, **more)

    def post(self, path: str, json: Any = None, **more: Any) -> Any:
        return self.expect((200, 201, 202), "POST", path, json=json, **more)

    def expect(self, statuses: Union[int, tuple], method: str, path: str, **more: Any) -> Any:
        answer = self.api(method, path, **more)
        allowed = statuses if isinstance(statuses, tuple) else (statuses,)
        assert answer.status in allowed, (method, path, answer.status, answer.body[:2000])
        return answer.json if answer.content_type == "application/json" else answer.body

    def cli(self, *arguments: Any, check: bool = True, timeout: float = 60, **more: Any) -> subprocess.CompletedProcess:
        """Runs `roost ARGUMENTS` as a user on this machine would."""
        done = subprocess.run([str(roost_program()), *map(str, arguments)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout,
                              errors="replace", **{"env": self.environment, "cwd": self.folder, **more})
        assert not check or done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    def cli_json(self, *arguments: Any, **more: Any) -> Any:
        return json.loads(self.cli(*arguments, "--json", **more).stdout)

    # Snapshots and runs.

    def snapshot(self, files: Files) -> str:
        """Stores a folder with these files and returns its digest."""
        contents = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        manifest = b"".join(manifest_line(path, contents[path]) for path in sorted(contents, key=str.encode))
        answer = self.post_manifest(manifest)
        if answer["missing"]:
            bodies = {sha256(content): content for content in contents.values()}
            body = b"".join(frame(bodies[digest], digest=digest) for digest in answer["missing"])
            self.expect(200, "POST", "/blobs", data=body, content_type=FRAMES)
            answer = self.post_manifest(manifest)
        assert answer["missing"] == [], answer
        return answer["digest"]

    def post_manifest(self, manifest: bytes) -> Any:
        return self.expect(200, "POST", "/snapshots", data=manifest, content_type="text/plain")

    def submit(self, code: Optional[str] = None, files: Optional[Files] = None, workspace: str = "default",
               **spec: Any) -> Dict[str, Any]:
        """Submits Python source as train.py, or `command=`/`script=` over `files`. Returns the run."""
        everything = dict(files or {})
        if code is not None:
            everything["train.py"] = textwrap.dedent(code)
            spec.setdefault("script", "train.py")
        if everything:
            spec["snapshot"] = self.snapshot(everything)
        spec.setdefault("experiment", "tests")
        return self.expect(201, "POST", f"/workspaces/{workspace}/runs", json=spec)

    def run(self, code: Optional[str] = None, timeout: float = 30, **spec: Any) -> Dict[str, Any]:
        """Submits and waits for the end."""
        return self.wait(self.submit(code, **spec), timeout=timeout)

    def get_run(self, run: Any, check: bool = True) -> Dict[str, Any]:
        return self.get(f"/runs/{run_id(run)}", check=check)

    def wait(self, run: Any, status: Union[str, tuple] = TERMINAL, timeout: float = 30) -> Dict[str, Any]:
        """Returns the run once it is in (one of) `status`; fails if it ended otherwise."""
        wanted = (status,) if isinstance(status, str) else status
        seen: Dict[str, Any] = {}

        def arrived() -> bool:
            seen.update(self.get_run(run, check=False))
            return seen["status"] in wanted or seen["status"] in TERMINAL

        try:
            wait_until(arrived, timeout, f"{run_id(run)} is {wanted}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it is {seen.get('status')}: {self.events(run)}") from None
        assert seen["status"] in wanted, (seen["status"], seen["error"])
        return self.get_run(run)

    def events(self, run: Any) -> List[Dict[str, Any]]:
        return self.get(f"/runs/{run_id(run)}/events")["items"]

    def states(self, run: Any) -> List[str]:
        return [event["to"] for event in self.events(run)]

    def cancel(self, run: Any) -> Dict[str, Any]:
        return self.post(f"/runs/{run_id(run)}/cancel")

    def log(self, run: Any, name: str = DRIVER_LOG, **options: Any) -> bytes:
        answer = self.api("GET", f"/runs/{run_id(run)}/logs/{name}" + query(**options))
        assert answer.status == 200, answer.body
        return answer.body

    def follow(self, run: Any, **options: Any) -> Iterator[Dict[str, Any]]:
        assert self.api_client is not None
        line_schema = contract.load().schema("FollowLine")
        for line in self.api_client.lines(f"/api/v1/runs/{run_id(run)}/follow" + query(**options)):
            contract.load().check(line_schema, line, "follow_run")
            yield line

    def metric(self, run: Any, name: str, **options: Any) -> Dict[str, Any]:
        return self.get(f"/runs/{run_id(run)}/metrics/{quote(name)}" + query(**options))

    def artifacts(self, run: Any, prefix: Optional[str] = None) -> Dict[str, Dict[str, Any]]:
        """All artifacts by path, over all pages."""
        return {item["path"]: item for item in self.pages(f"/runs/{run_id(run)}/artifacts", prefix=prefix)}

    def artifact(self, run: Any, path: str) -> bytes:
        """Its bytes, after checking them against the size and digest the list gives."""
        body = self.expect(200, "GET", f"/runs/{run_id(run)}/artifacts/{path}")
        return body if isinstance(body, bytes) else dump(body)

    def pages(self, path: str, **options: Any) -> Iterator[Dict[str, Any]]:
        cursor = None
        while True:
            page = self.get(path + query(cursor=cursor, **options))
            yield from page["items"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def nodes(self, compute: str = "local", workspace: str = "default") -> List[Dict[str, Any]]:
        return self.get(f"/workspaces/{workspace}/computes/{compute}/nodes")["items"]

    def collect_garbage(self, **options: Any) -> Dict[str, Any]:
        """Waits for the end of a garbage collection and returns what it did."""
        state = self.expect(202, "POST", "/blobs/collect", json={"grace_seconds": 0, **options})

        def ended() -> bool:
            state.update(self.get("/blobs/collect"))
            return state["status"] != "running"

        wait_until(ended, 60, "the collection ends")
        return state

    def new_token(self, role: str, **options: Any) -> Dict[str, Any]:
        return self.expect(201, "POST", "/tokens", json={"name": f"a {role}", "role": role, **options})


def run_id(run: Any) -> str:
    return run["id"] if isinstance(run, dict) else run


def own_properties(run: Dict[str, Any]) -> Dict[str, str]:
    """Without those that every run gets (snapshot, kind of compute, git)."""
    return {key: value for key, value in run["properties"].items()
            if key != "ContentSnapshotId" and not key.startswith(("_azureml.", "azureml."))}


def dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def manifest_line(path: str, content: bytes, mode: str = "100644") -> bytes:
    return manifest_entry(path, mode, len(content), sha256(content))


def manifest_entry(*fields: Any) -> bytes:
    return json.dumps(list(fields), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
