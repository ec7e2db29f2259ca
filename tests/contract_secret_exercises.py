"""Calls of the contract about secrets."""
from contract_caller import Caller, exercise


@exercise
def list_secrets(c: Caller) -> None:
    for name in ("listed-a", "listed-b"):
        c.call("set_secret", 200, "default", name, json={"value": "v"})
    first = c.call("list_secrets", 200, "default", limit=1).json
    assert len(first["items"]) == 1 and first["next_cursor"] == first["items"][0]["name"]
    names = [item["name"] for item in c.call("list_secrets", 200, "default").json["items"]]
    assert {"listed-a", "listed-b"} <= set(names) and names == sorted(names, key=str.lower)
    c.call("list_secrets", 404, "nowhere")


@exercise
def get_secret(c: Caller) -> None:
    c.call("set_secret", 200, "default", "Got-it", json={"value": "größe\nand more"})
    assert c.call("get_secret", 200, "default", "gOT-IT").json["value"] == "größe\nand more"
    c.call("get_secret", 404, "default", "none-such")


@exercise
def set_secret(c: Caller) -> None:
    made = c.call("set_secret", 200, "default", "SET_ME", json={"value": "one"}).json
    again = c.call("set_secret", 200, "default", "set_me", json={"value": "two"}).json
    assert again["name"] == made["name"] == "SET_ME" and again["created_at"] == made["created_at"]
    assert c.call("get_secret", 200, "default", "SET_ME").json["value"] == "two"
    for bad in ({}, {"value": ""}, {"value": 1}, {"value": "a\0b"}, {"value": "a", "more": 1}, {"value": "x" * 65537}):
        assert c.server.api("PUT", "/workspaces/default/secrets/SET_ME", json=bad).status == 400, bad
    c.call("set_secret", 400, "default", "not a name", json={"value": "v"})
    c.call("set_secret", 404, "nowhere", "name", json={"value": "v"})


@exercise
def delete_secret(c: Caller) -> None:
    c.call("set_secret", 200, "default", "to-go", json={"value": "v"})
    assert c.call("delete_secret", 200, "default", "to-go").json["name"] == "to-go"
    c.call("delete_secret", 404, "default", "to-go")
