"""Environments that are images: built by buildah, run without it, and a run sees nothing but its own."""
import json
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from conftest import IMPATIENT, MakeServer
from local_index import make_wheel
from processes import processes_with, wait_until
from roost_fixture import RoostServer

MISSING = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (tools/setup images)"),
    pytest.mark.root,  # mmdebstrap makes the base image
]

BUILD_LOG = "azureml-logs/20_image_build_log.txt"
BASE = Path("/tmp/roost-images/bookworm-python3")  # kept between test runs: it takes a minute to make
MINUTES = 240.0


@pytest.fixture(scope="session")
def base_image() -> str:
    """Debian with python3 and pip, as an OCI folder: no registry is needed."""
    if not (BASE / "index.json").exists():
        make_base(BASE)
    return f"oci:{BASE}:latest"


def make_base(place: Path) -> None:
    work = place.with_name(f"{place.name}.{os.getpid()}")
    shutil.rmtree(work, ignore_errors=True)
    (work / "context").mkdir(parents=True)
    subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--include=python3,python3-pip",
                    "--aptopt=APT::Install-Recommends \"false\"", "bookworm", str(work / "context/root.tar")],
                   check=True, timeout=600)
    (work / "Dockerfile").write_text("FROM scratch\nADD root.tar /\n", encoding="utf-8")
    buildah = ["unshare", "--mount", "--propagation", "private", "buildah", "--root", str(work / "storage"),
               "--runroot", str(work / "run")]
    subprocess.run([*buildah, "bud", "--isolation", "chroot", "--tag", "base", "--file", str(work / "Dockerfile"),
                    str(work / "context")], check=True, timeout=600, stdout=subprocess.DEVNULL)
    subprocess.run([*buildah, "push", "--quiet", "base", f"oci:{work / 'made'}:latest"], check=True, timeout=600)
    shutil.rmtree(place, ignore_errors=True)
    (work / "made").rename(place)
    shutil.rmtree(work, ignore_errors=True)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    make_wheel(folder, "alpha", "1.2")
    return folder


def settings(wheels: Path, **more: Any) -> Dict[str, Any]:
    return {**IMPATIENT, "environments": {"wheels": str(wheels), "offline": True, **more}}


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer, wheels: Path) -> RoostServer:
    return make_shared_server(settings(wheels))


def image(base: str, *pip: str, managed: bool = False, **docker: Any) -> Dict[str, Any]:
    packages = {"dependencies": [{"pip": list(pip)}] if pip else []}
    python = {"userManagedDependencies": True} if managed else {"condaDependencies": packages}
    return {"docker": {"baseImage": base, **docker}, "python": python}


def dockerfile(*steps: str) -> Dict[str, Any]:
    return {"docker": {"baseDockerfile": "\n".join(steps)}, "python": {"userManagedDependencies": True}}


def submit_in(server: RoostServer, definition: Dict[str, Any], code: Any = None, **spec: Any) -> Dict[str, Any]:
    server.post("/workspaces/default/environments", {"name": "mine", "definition": definition})
    return server.submit(code, environment={"name": "mine"}, **spec)


def run_in(server: RoostServer, definition: Dict[str, Any], code: Any = None, **spec: Any) -> Dict[str, Any]:
    return server.wait(submit_in(server, definition, code, **spec), timeout=MINUTES)


def told(server: RoostServer, run: Dict[str, Any]) -> str:
    assert run["status"] == "Completed", (run["error"], server.log(run, BUILD_LOG)[-3000:])
    return server.log(run).decode()


def test_a_pip_layer_run_as_another_user(server: RoostServer, base_image: str) -> None:
    definition = image(base_image, "alpha==1.2")
    first = run_in(server, definition, "import alpha, os; print(alpha.__version__, os.getuid())")
    assert told(server, first).split() == ["1.2", "1000"]
    environment = first["environment"]
    assert environment["kind"] == "image" and "alpha==1.2" in environment["lock"]
    log = server.log(first, BUILD_LOG).decode()
    assert log.startswith("Builder: image, because") and "Step 1/4: FROM" in log and "Step 4/4: RUN" in log and "alpha==1.2" in log
    again = run_in(server, definition, "import alpha; print(alpha.__version__)")
    assert told(server, again).split() == ["1.2"]
    assert again["durations"]["Preparing"] < 0.05, again["durations"]


def test_pip_in_a_run(server: RoostServer, base_image: str, wheels: Path) -> None:
    definition = image(base_image, managed=True)
    archive = next(wheels.glob("alpha-1.2-*.whl"))
    code = f"""
        import os, subprocess, sys
        assert os.system("pip install --no-index --no-deps {archive.name}") == 0
        import alpha
        print(alpha.__version__, alpha.__file__.startswith(os.environ["ROOST_PACKAGES"]))
    """
    run = run_in(server, definition, code, files={archive.name: archive.read_bytes()})
    assert told(server, run).splitlines()[-1] == "1.2 True"
    assert any("alpha 1.2" in notice for notice in run["notices"]), run["notices"]
    assert run_in(server, definition, "import alpha")["status"] == "Failed"


def test_it_sees_its_own_files_and_nothing_else(server: RoostServer, base_image: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("of the machine", encoding="utf-8")
    content = server.snapshot({"birds.txt": "wren"})
    data = str(server.data)
    run = run_in(server, image(base_image), f"""
        import os, json
        seen = {{
            "shadow": os.access("/etc/shadow", os.R_OK),
            "outside": os.path.exists({str(outside)!r}),
            "data": sorted(os.listdir({data!r})),
            "database": os.path.exists({data + "/roost.db"!r}),
            "token": os.path.exists({data + "/owner.token"!r}),
            "runs": len(os.listdir(os.path.dirname(os.path.dirname(os.getcwd())))),
            "helper": open("helper.txt").read(),
            "input": open(os.environ["AZUREML_DATAREFERENCE_birds"] + "/birds.txt").read(),
            "user": [os.getuid(), os.getgid(), os.getgroups(), os.path.expanduser("~")],
            "processes": [int(p) for p in os.listdir("/proc") if p.isdigit()],
            "tmp": [p for p in os.listdir("/tmp") + os.listdir("/var/tmp") if "/tmp/" + p not in os.getcwd()],
            "devices": sorted(os.listdir("/dev")),
            "shm": os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize,
            "root": sorted(os.listdir("/")),
            "capabilities": [l.split()[1] for l in open("/proc/self/status") if l.startswith("CapEff")],
        }}
        import getpass, pwd; seen["name"] = [getpass.getuser(), pwd.getpwuid(os.getuid()).pw_name]
        from roost import Run
        open("/tmp/x", "w").write("x"); open(os.path.expanduser("~/y"), "w").write("y")
        for path in ("/usr/new", "/etc/passwd", "/new"):
            try:
                open(path, "a"); seen[path] = True
            except OSError:
                seen[path] = False
        with open("/dev/shm/s", "w") as f: f.write("s")
        os.makedirs("outputs", exist_ok=True)
        json.dump(seen, open("outputs/seen.json", "w"))
        """, files={"helper.txt": "from the snapshot"}, inputs=[{"name": "birds", "content": content}])
    told(server, run)
    seen = json.loads(server.artifact(run, "outputs/seen.json"))
    assert not seen["shadow"] and not seen["outside"] and not seen["database"] and not seen["token"]
    assert seen["data"] == ["nodes"] and seen["runs"] == 1
    assert (seen["helper"], seen["input"]) == ("from the snapshot", "wren")
    assert seen["user"] == [1000, 1000, [], "/home/roost"] and seen["name"] == ["roost", "roost"]
    assert len(seen["processes"]) == 2 and seen["tmp"] == []
    assert {"null", "urandom", "shm"} <= set(seen["devices"]) and "vda" not in seen["devices"]
    assert seen["shm"] == 2 << 30 and int(seen["capabilities"][0], 16) == 0
    assert not seen["/usr/new"] and not seen["/etc/passwd"] and not seen["/new"]
    root = Path(run["environment"]["folder"]) / "rootfs"
    assert not (root / "tmp/x").exists() and not (root / "home/roost").exists()


def test_links_do_not_carry_files_of_the_machine_out(server: RoostServer, base_image: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.txt").write_text("of the machine", encoding="utf-8")
    run = run_in(server, image(base_image), f"""
        import os, shutil, time
        os.makedirs("logs/sub", exist_ok=True); os.makedirs("outputs", exist_ok=True)
        open("logs/sub/key.txt", "w").write("mine")
        open("outputs/own.txt", "w").write("own")
        os.symlink({str(secret / 'key.txt')!r}, "outputs/link.txt")
        os.symlink({str(secret)!r}, "outputs/folder")
        time.sleep(0.5)
        shutil.rmtree("logs/sub"); os.symlink({str(secret)!r}, "logs/sub")
        time.sleep(0.5)
    """)
    told(server, run)
    assert sorted(server.artifacts(run, prefix="outputs")) == ["outputs/own.txt"]
    for item in server.get(f"/runs/{run['id']}/logs")["items"]:
        assert b"of the machine" not in server.log(run, item["name"])


def test_shared_memory_variables_and_commands(server: RoostServer, base_image: str) -> None:
    definition = dockerfile(f"FROM {base_image}", "ENV COLOUR=red PATH=/opt/bin:/usr/bin:/bin")
    definition["docker"]["shmSize"] = "64m"
    run = run_in(server, definition, command="echo $COLOUR $PATH $HOME $MINE; df -k --output=size /dev/shm | tail -1",
                 environment_variables={"MINE": "yes"})
    words = told(server, run).split()
    assert words[0] == "red" and "/opt/bin" in words[1] and words[2:4] == ["/home/roost", "yes"]
    assert int(words[4]) == 64 * 1024


def test_docker_arguments(server: RoostServer, base_image: str) -> None:
    definition = image(base_image, arguments=["--shm-size", "32m", "--cpus=1.5", "--cap-add", "SYS_ADMIN"])
    run = run_in(server, definition, command="df -k --output=size /dev/shm | tail -1; cat /proc/self/cgroup")
    text = told(server, run)
    limited = f"roost-{run['id']}-1-0" in text
    assert limited or "roost: CPUs are not limited" in text, text
    assert str(32 * 1024) in text.split() and run["environment"]["limits"] == {"cpus": 1.5}
    assert any("--cap-add" in notice for notice in run["notices"]) and run["environment"]["isolated"] is True


def test_docker_arguments_of_the_run(server: RoostServer, base_image: str) -> None:
    definition = image(base_image, arguments=["--shm-size", "32m", "-e", "COLOUR=red", "-e", "KIND=wren"])
    server.post("/workspaces/default/environments", {"name": "mine", "definition": definition})
    docker = {"arguments": ["-e", "COLOUR=blue", "--privileged"], "shm_size": "48m"}
    run = server.wait(server.submit(environment={"name": "mine", "docker": docker},
                                    command="echo $COLOUR $KIND; df -k --output=size /dev/shm | tail -1"), timeout=MINUTES)
    assert told(server, run).split() == ["blue", "wren", str(48 * 1024)]
    assert [notice for notice in run["notices"] if "docker argument" in notice] == ["the docker argument --privileged has no effect here"]


@pytest.mark.parametrize("code, expected", [("import sys; sys.exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", None)])
def test_exit_codes_and_signals(server: RoostServer, base_image: str, code: str, expected: Any) -> None:
    run = run_in(server, image(base_image), code)
    assert run["status"] == "Failed"
    assert run["exit_code"] == expected and (expected is not None or run["signal"] == 9)


def test_cancel_ends_everything(server: RoostServer, base_image: str) -> None:
    run = submit_in(server, image(base_image), """
        import os, signal, sys, time
        if os.fork() == 0:
            os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)
        def leave(*_):
            open('outputs/saved', 'w').write('yes'); sys.exit(0)
        os.makedirs('outputs', exist_ok=True)
        signal.signal(signal.SIGTERM, leave)
        print('ready', flush=True)
        time.sleep(600)
    """)
    server.wait(run, "Running", timeout=MINUTES)
    wait_until(lambda: b"ready" in server.log(run), 20, "the script is ready")
    server.cancel(run)
    server.wait(run, "Canceled")
    assert server.artifact(run, "outputs/saved") == b"yes"
    assert not processes_with(run["id"])
    assert run["id"] not in Path("/proc/mounts").read_text(encoding="utf-8")


def test_a_dockerfile_that_fails_names_the_step(server: RoostServer, base_image: str) -> None:
    bad = dockerfile(f"FROM {base_image}", "RUN echo fine", "RUN echo 'no such tool: frobnicate' >&2; exit 5", "RUN true")
    run = run_in(server, bad, "print('never')")
    assert run["status"] == "Failed"
    message = run["error"]["message"]
    assert "step 3/4" in message and "frobnicate" in message and "RUN echo" in message, message
    check_nothing_is_left(server, run)
    good = run_in(server, dockerfile(f"FROM {base_image}", "RUN echo fine"), "print('yes')")
    assert told(server, good).strip() == "yes"


@pytest.mark.parametrize("definition, words", [
    ({"docker": {"baseImage": "localhost:1/none:1"}}, ["step 1/1", "localhost:1"]),
    ({"docker": {"baseImage": "a b"}}, ["not the name of an image"]),
    ({"docker": {"baseDockerfile": "FRUM x"}}, ["could not begin", "no FROM"]),
], ids=["unreachable", "a-name-with-a-space", "not-a-dockerfile"])
def test_bad_images_say_why(server: RoostServer, base_image: str, definition: Dict[str, Any], words: List[str]) -> None:
    run = run_in(server, definition, "print('never')")
    assert run["status"] == "Failed"
    for word in words:
        assert word in run["error"]["message"], run["error"]
    check_nothing_is_left(server, run)
    assert told(server, run_in(server, image(base_image, managed=True), "print('yes')")).strip() == "yes", "the next good build works"


def check_nothing_is_left(server: RoostServer, run: Dict[str, Any]) -> None:
    """Neither a folder nor an entry of the cache, of this build that failed."""
    digest = run["environment"].get("digest", "")
    assert digest and digest not in [item["digest"] for item in server.get("/environment-builds")["items"]]
    assert not [path for path in (server.data / "environments").glob(f"{digest[:16]}-*")]


def test_an_unreachable_registry_of_the_operator_is_no_reason_to_fail(make_server: MakeServer, wheels: Path,
                                                                     base_image: str) -> None:
    server = make_server(settings(wheels, registry="127.0.0.1:1", registry_insecure=True))
    run = run_in(server, image(base_image, managed=True), "print('yes')")
    log = server.log(run, BUILD_LOG).decode()
    assert told(server, run).strip() == "yes"
    assert "The registry cannot be asked, so the image is built here" in log and "could not be pushed" in log, log


def test_a_killed_build_leaves_no_container(make_server: MakeServer, base_image: str, tmp_path: Path) -> None:
    (tmp_path / "gates").mkdir()
    server = make_server(settings(tmp_path / "gates"))
    waits = dockerfile(f"FROM {base_image}", "RUN while [ ! -e /run/roost-wheels/gate ]; do sleep 0.1; done")
    run = submit_in(server, waits, "print('yes')")
    containers = server.data / "images/overlay-containers/containers.json"
    wait_until(lambda: containers.exists() and json.loads(containers.read_text() or "[]"), 60, "a container of the build")
    left = {item["id"] for item in json.loads(containers.read_text())}
    server.kill9()
    wait_until(lambda: not processes_with(str(server.data / "environments")), 20, "the build died with the server")
    (tmp_path / "gates/gate").touch()
    server.start()
    finished = server.wait(run, timeout=MINUTES)
    assert told(server, finished).strip() == "yes"
    log = server.api("GET", f"/environment-builds/{finished['environment']['digest']}/log").body
    assert b"Removing what a build that was killed has left" in log, log
    now = {item["id"] for item in json.loads(containers.read_text())}
    assert left and not now, (left, now)


def test_a_package_that_is_nowhere(server: RoostServer, base_image: str) -> None:
    run = run_in(server, image(base_image, "alpha==9.9"), "print('never')")
    assert run["status"] == "Failed" and "alpha==9.9 cannot be had: there are 1.2" in run["error"]["message"], run["error"]
    check_nothing_is_left(server, run)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Debian's docker-registry on loopback."""
    program = shutil.which("docker-registry")
    if program is None:
        pytest.skip("not installed: docker-registry (tools/setup images)")
    folder = tmp_path_factory.mktemp("registry")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "config.yml"
    config.write_text(f"version: 0.1\nstorage: {{filesystem: {{rootdirectory: {folder}/store}}}}\n"
                      f"http: {{addr: '127.0.0.1:{port}'}}\n", encoding="utf-8")
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen([program, "serve", str(config)], stdout=log, stderr=log)
    try:
        wait_until(lambda: answers(port), 20, "the registry answers")
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_pushed_to_and_pulled_from_a_registry(make_server: MakeServer, wheels: Path, base_image: str,
                                              registry: str) -> None:
    config = settings(wheels, registry=registry, registry_insecure=True)
    code = "import alpha; print(alpha.__version__)"
    first = make_server(config)
    run = run_in(first, image(base_image, "alpha"), code)
    assert told(first, run).strip() == "1.2" and f"Pushing {registry}/roost:" in first.log(run, BUILD_LOG).decode()
    second = make_server(config)
    run = run_in(second, image(base_image, "alpha"), code)
    log = second.log(run, BUILD_LOG).decode()
    assert told(second, run).strip() == "1.2"
    assert "nothing is built" in log and "Step 1/" not in log and "alpha==1.2" in run["environment"]["lock"]
