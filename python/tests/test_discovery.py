import json

import pytest

from roost import RoostError
from roost.discovery import find_server


@pytest.fixture
def data(tmp_path, monkeypatch):
    for name in ("ROOST_URL", "ROOST_TOKEN", "ROOST_CA_FILE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("ROOST_CONTEXT", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ROOST_DATA", str(tmp_path))
    return tmp_path


def write(folder, **more):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "owner.token").write_text("secret\n")
    file = {"url": "http://127.0.0.1:1234", "token_file": str(folder / "owner.token"), "pid": 1}
    (folder / "server.json").write_text(json.dumps({**file, **more}))


def test_none(data):
    with pytest.raises(RoostError, match="roost up") as caught:
        find_server()
    assert caught.value.code == "unavailable" and str(data) in caught.value.message
    (data / "server.json").write_text("{not json")
    with pytest.raises(RoostError):
        find_server()


def test_the_one_of_this_machine(data, monkeypatch):
    write(data, ca_file="/c.pem")
    file = str(data / "server.json")
    assert find_server() == ("http://127.0.0.1:1234", "secret", "/c.pem", file)
    assert find_server(token="mine").token == "mine"
    monkeypatch.setenv("ROOST_TOKEN", "of-a-reader")
    (data / "owner.token").unlink()
    assert find_server().token == "of-a-reader"
    monkeypatch.delenv("ROOST_TOKEN")
    write(data, ca_file="/c.pem")
    monkeypatch.setenv("ROOST_CA_FILE", "/d.pem")
    assert find_server("http://127.0.0.1:1234/")[:3] == (
        "http://127.0.0.1:1234",
        "secret",
        "/d.pem",
    )


def test_other_folders(data, monkeypatch):
    monkeypatch.delenv("ROOST_DATA")
    monkeypatch.setenv("HOME", str(data))
    write(data / ".local/share/roost")
    assert find_server().token == "secret"
    monkeypatch.setenv("XDG_DATA_HOME", str(data / "xdg"))
    with pytest.raises(RoostError):
        find_server()
    write(data / "xdg/roost", url="http://other:1")
    assert find_server().url == "http://other:1"


def test_one_elsewhere(data, monkeypatch):
    write(data)
    with pytest.raises(RoostError, match="ROOST_TOKEN") as caught:
        find_server("http://far:80")  # the local secret is not for others
    assert caught.value.code == "unauthenticated"
    monkeypatch.setenv("ROOST_URL", "http://far:80/")
    monkeypatch.setenv("ROOST_TOKEN", "t")
    assert find_server() == ("http://far:80", "t", None, None)
    assert find_server("http://near:80", "u", "/c") == ("http://near:80", "u", "/c", None)


def test_a_token_that_cannot_be_read(data):
    write(data, token_file=str(data / "gone"))
    with pytest.raises(RoostError, match="gone") as caught:
        find_server()
    assert caught.value.code == "unauthenticated"


def test_the_context_in_use(data, monkeypatch):
    write(data)
    folder = data / "config/roost/contexts"
    folder.mkdir(parents=True)
    (folder / "lab.json").write_text(json.dumps({"url": "http://lab:1/", "token": "t", "ca_file": "/c"}))
    (folder.parent / "settings.json").write_text(json.dumps({"context": "lab"}))
    assert find_server().token == "secret"  # ROOST_DATA goes before it
    monkeypatch.delenv("ROOST_DATA")
    assert find_server() == ("http://lab:1", "t", "/c", None)
    assert find_server("http://other:1", "mine").url == "http://other:1"
    monkeypatch.setenv("ROOST_CONTEXT", "none")
    with pytest.raises(RoostError, match="roost context ls"):
        find_server()
    monkeypatch.setenv("ROOST_CONTEXT", "../lab")
    with pytest.raises(RoostError):
        find_server()


def test_the_data_folder_of_this_folder(data, monkeypatch):
    write(data / "d")
    (data / "config/roost").mkdir(parents=True)
    (data / "code/below").mkdir(parents=True)
    settings = {"context": "lab", "folders": {str(data / "code"): {"data": str(data / "d")}}}
    (data / "config/roost/settings.json").write_text(json.dumps(settings))
    monkeypatch.delenv("ROOST_DATA")
    monkeypatch.chdir(data / "code/below")
    assert find_server().token == "secret"
