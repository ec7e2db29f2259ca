"""Alerts reach a real web server and a real mail server, whatever dies between the event and them."""
import email
import hashlib
import hmac
import sqlite3
from typing import Any, Dict, Iterator, List

import pytest

from conftest import MakeServer
from live_events import LiveEvents
from processes import wait_until
from receivers import MailReceiver, WebReceiver
from roost_fixture import RoostServer

SECRET = "a secret of 24 characters".replace(" ", "-")
CHANNELS = "/alerts/channels"
RULES = "/workspaces/default/alert-rules"
LOG = "/workspaces/default/alerts"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture
def web() -> Iterator[WebReceiver]:
    receiver = WebReceiver()
    yield receiver
    receiver.close()


@pytest.fixture
def mail() -> Iterator[MailReceiver]:
    receiver = MailReceiver()
    yield receiver
    receiver.close()


def channel(server: RoostServer, name: str, url: str, kind: str = "webhook") -> Dict[str, Any]:
    body = {"kind": kind, "url": url}
    if kind == "webhook":
        body["secret"] = SECRET
    return server.expect(200, "PUT", f"{CHANNELS}/{name}", json=body)


def alerts_of(server: RoostServer, run: Any) -> List[Dict[str, Any]]:
    return [alert for alert in server.get(LOG)["items"] if alert["run"] == run["id"]]


def received(web: WebReceiver, count: int = 1) -> List[Dict[str, Any]]:
    return wait_until(lambda: len(web.calls) >= count and web.calls, 20, f"{count} calls came, not {len(web.calls)}")


def test_a_run_tells_whom_it_was_asked_to(server: RoostServer, web: WebReceiver) -> None:
    channel(server, "hook", web.url + "/a/b?token=t")
    run = server.run("raise SystemExit(3)", notify=["hook:failure,end"])
    [call] = received(web)
    assert call["path"] == "/a/b?token=t"
    body = call["body"]
    assert (body["event"], body["run"], body["workspace"]) == ("failure", run["id"], "default")
    assert "exit code 3" in body["message"] or "3" in body["message"]
    headers = {name.lower(): value for name, value in call["headers"].items()}
    signed = headers["x-roost-timestamp"].encode() + b"." + call["raw"]
    assert headers["x-roost-signature"] == "sha256=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["x-roost-delivery"] == body["id"]
    wait_until(lambda: alerts_of(server, run)[0]["state"] == "sent", 20, "it is noted as sent")
    assert len(alerts_of(server, run)) == 1, "one ending is told once"
    assert len(web.calls) == 1


def test_what_is_secret_is_never_shown(server: RoostServer, web: WebReceiver) -> None:
    made = channel(server, "secretive", web.url + "/hidden-path")
    mail_body = {"kind": "mail", "to": ["ann@example.org"], "from": "roost@example.org", "host": "127.0.0.1", "user": "u",
                 "password": "hidden-password"}
    server.expect(200, "PUT", f"{CHANNELS}/secretive-mail", json=mail_body)
    shown = str(made) + str(server.get(CHANNELS)) + str(server.get(LOG))
    assert "hidden" not in shown and SECRET not in shown
    with sqlite3.connect(server.data / "roost.db") as database:
        kept = str(database.execute("SELECT * FROM channel").fetchall())
    assert "secretive" in kept and "hidden" not in kept and SECRET not in kept


def test_rules_are_about_an_experiment(server: RoostServer, web: WebReceiver) -> None:
    channel(server, "ruled", web.url)
    rule = server.expect(201, "POST", RULES, json={"channel": "ruled", "experiment": "ruled", "events": ["failure"]})
    server.run("print(1)", experiment="ruled")
    server.run("raise SystemExit(1)", experiment="others")
    bad = server.run("raise SystemExit(1)", experiment="ruled")
    [call] = received(web)
    assert call["body"]["run"] == bad["id"]
    server.expect(200, "DELETE", f"{RULES}/{rule['id']}")
    server.expect(404, "DELETE", f"{RULES}/{rule['id']}")


def test_divergence_is_told_once(server: RoostServer, web: WebReceiver) -> None:
    channel(server, "diverged", web.url)
    code = ("from azureml.core import Run\nrun = Run.get_context()\n"
            "for i in range(5): run.log('loss', float('nan') if i > 1 else 1.0)\n")
    run = server.run(code, notify=["diverged:divergence"])
    [call] = received(web)
    assert (call["body"]["event"], call["body"]["run"]) == ("divergence", run["id"])
    assert "loss became NaN" in call["body"]["message"]


def test_a_receiver_that_is_away_gets_it_later_under_the_same_id(make_server: MakeServer) -> None:
    server = make_server({"alert_retry_seconds": 0.2})
    web = WebReceiver()
    port = web.port
    web.answers = [503]
    try:
        channel(server, "flaky", web.url)
        run = server.run("print(1)", notify=["flaky"])
        first, second = received(web, 2)[:2]
        assert first["body"] == second["body"]
        web.close()
        other = server.run("print(2)", notify=["flaky"])
        failed = wait_until(lambda: [a for a in alerts_of(server, other) if a["error"]], 20, "it could not be sent")
        assert failed[0]["state"] == "waiting" and "refused" in failed[0]["error"], failed
        assert "roost up" not in failed[0]["error"]
    finally:
        web = WebReceiver(port)
    try:
        [call] = received(web)
        assert call["body"]["run"] == other["id"]
        wait_until(lambda: alerts_of(server, other)[0]["state"] == "sent", 20, "it is noted as sent")
        assert alerts_of(server, run)[0]["tries"] == 2
    finally:
        web.close()


def test_kill_9_between_event_and_delivery(make_server: MakeServer, web: WebReceiver) -> None:
    """The event and its alert are one transaction: whatever dies after it, the next server sends it."""
    server = make_server({"alert_retry_seconds": 3600})
    web.answers = [503]
    channel(server, "late", web.url)
    run = server.run("print(1)", notify=["late"])
    [first] = received(web)
    wait_until(lambda: alerts_of(server, run)[0]["error"], 20, "it is noted as not sent")
    server.kill9()
    with sqlite3.connect(server.data / "roost.db") as database:  # an hour later
        database.execute("UPDATE alert SET next_at = 0")
    server.start()
    second = received(web, 2)[1]
    assert second["body"]["id"] == first["body"]["id"] and second["body"]["run"] == run["id"]


def test_redirects_are_not_followed(server: RoostServer, web: WebReceiver) -> None:
    elsewhere = WebReceiver()
    try:
        web.location = elsewhere.url
        web.answers = [302]
        channel(server, "moved", web.url)
        answer = server.post(f"{CHANNELS}/moved/test")
        assert answer["state"] == "failed" and "not followed" in answer["error"], answer
        assert elsewhere.calls == []
    finally:
        elsewhere.close()


def test_a_test_says_what_is_wrong(server: RoostServer, web: WebReceiver) -> None:
    channel(server, "tested", web.url)
    assert server.cli("alerts", "test", "tested").stdout == "sent to tested\n"
    assert web.calls[0]["body"]["event"] == "test"
    channel(server, "nobody", "http://127.0.0.1:1/")
    done = server.cli("alerts", "test", "nobody", check=False)
    assert done.returncode != 0 and "nobody could not be reached" in done.stderr and "refused" in done.stderr
    assert server.cli("alerts", "test", "none-such", check=False).returncode == 3


def test_slack_form(server: RoostServer, web: WebReceiver) -> None:
    channel(server, "slack", web.url + "/services/T/B/x", kind="slack")
    run = server.run("raise SystemExit('<b>&')", notify=["slack:failure"])
    [call] = received(web)
    assert set(call["body"]) == {"text"} and run["id"] in call["body"]["text"]
    assert "<b>" not in call["body"]["text"]


def test_mail(server: RoostServer, mail: MailReceiver) -> None:
    body = {"kind": "mail", "to": ["ann@example.org", "bob@example.org"], "from": "roost@example.org", "host": "127.0.0.1",
            "port": mail.port, "security": "none"}
    server.expect(200, "PUT", f"{CHANNELS}/post", json=body)
    run = server.run("raise SystemExit(1)", display_name=". Grüße = " + "x" * 200, notify=["post:failure"])
    wait_until(lambda: mail.mails, 20, "a mail came")
    [sent] = mail.mails
    assert (sent["from"], sent["to"]) == ("<roost@example.org>", ["<ann@example.org>", "<bob@example.org>"])
    message = email.message_from_string(sent["text"])
    assert run["id"] in message["Subject"] and message["To"] == "ann@example.org, bob@example.org"
    text = message.get_payload(decode=True).decode()
    assert "Grüße = xxx" in text and run["id"] in text
    assert all(len(line) <= 78 for line in sent["text"].split("\r\n") if not line.startswith("Subject"))


def test_mail_that_is_refused_says_so(server: RoostServer, mail: MailReceiver) -> None:
    body = {"kind": "mail", "to": ["ann@example.org"], "from": "roost@example.org", "host": "127.0.0.1", "port": mail.port,
            "security": "none"}
    server.expect(200, "PUT", f"{CHANNELS}/refused", json=body)
    mail.refuse = "550 no such user"
    answer = server.post(f"{CHANNELS}/refused/test")
    assert answer["state"] == "failed" and "550 no such user" in answer["error"]
    body["security"] = "starttls"
    server.expect(200, "PUT", f"{CHANNELS}/refused", json=body)
    answer = server.post(f"{CHANNELS}/refused/test")
    assert "does not offer STARTTLS" in answer["error"]
    assert mail.mails == []


def test_open_pages_hear_of_desktop_alerts(server: RoostServer) -> None:
    server.expect(200, "PUT", f"{CHANNELS}/screen", json={"kind": "desktop"})
    with LiveEvents(server, "alerts/default") as live:
        run = server.run("print(1)", notify=["screen"])
        told = live.until(lambda kind, data: kind == "alert" and data["alert"]["run"] == run["id"])
    assert told["alert"]["event"] == "end"


def test_a_removed_channel_takes_its_rules_along(server: RoostServer, web: WebReceiver) -> None:
    channel(server, "gone", web.url)
    server.expect(201, "POST", RULES, json={"channel": "gone"})
    server.expect(200, "DELETE", f"{CHANNELS}/gone")
    assert "gone" not in [rule["channel"] for rule in server.get(RULES)["items"]]
    refused = server.api("POST", "/workspaces/default/runs", json={"experiment": "e", "command": "true", "notify": ["gone"]})
    assert refused.status == 404 and "roost alerts add" in refused.json["error"]["message"]


def test_by_the_command_line(server: RoostServer, web: WebReceiver) -> None:
    done = server.cli("alerts", "add", "cli", "--webhook", web.url, "--on", "failure,hang", "--experiment", "cli-birds")
    assert len(done.stdout.strip()) == 48, "its new secret"
    listed = server.cli("alerts", "ls").stdout
    assert "cli-birds" in listed and "failure,hang" in listed and web.url in listed
    server.run("raise SystemExit(1)", experiment="cli-birds")
    received(web)
    wait_until(lambda: "sent" in server.cli("alerts", "log").stdout, 20, "the log has it")
    server.cli("alerts", "rm", "cli")
    assert server.cli("alerts", "add", "x", check=False).returncode == 2
