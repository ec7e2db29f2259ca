"""Dockerfiles and base images on a machine without buildah: the run fails at once and says the one command."""
import os
from pathlib import Path
from typing import Any, Dict

import pytest

from conftest import MakeServer


@pytest.fixture
def path_without_buildah(tmp_path: Path) -> str:
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in ("/usr/bin", "/bin"):
        for name in os.listdir(place):
            if name != "buildah" and not (folder / name).is_symlink():
                (folder / name).symlink_to(f"{place}/{name}")
    return str(folder)


@pytest.mark.parametrize("docker", [{"baseImage": "birds/base:1"}, {"baseDockerfile": "FROM birds/base:1\n"}],
                         ids=["base-image", "dockerfile"])
def test_the_error_says_the_one_command(make_server: MakeServer, path_without_buildah: str, docker: Dict[str, Any]) -> None:
    server = make_server(start=False)
    server.environment["PATH"] = path_without_buildah
    server.start()
    definition = {"docker": docker, "python": {"userManagedDependencies": True}}
    server.post("/workspaces/default/environments", {"name": "image", "definition": definition})
    run = server.run("print('never')", environment={"name": "image"})
    assert run["status"] == "Failed"
    assert "apt-get install buildah" in run["error"]["message"] and "tools/setup images" in run["error"]["message"]
