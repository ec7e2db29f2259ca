"""Ends of logs, lines by their text, the first error, and outputs as a browser gets them."""
import pytest

from roost_fixture import DRIVER_LOG, RoostServer, sha256

SCRIPT = """
import os, sys
for i in range(2000):
    print(f"epoch {i} loss {1 / (i + 1):.4f} error rate 0.1")
print("Done With Needle \\033[31mred\\033[0m")
os.makedirs("outputs/ä b", exist_ok=True)
open("outputs/page.html", "w").write("<script>alert(1)</script>hello")
open("outputs/ä b/c\\"d.txt", "w").write("text")
open("outputs/dot.svg", "w").write("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
raise ValueError("it ends badly")
"""


@pytest.fixture(scope="module")
def failed_run(shared_server: RoostServer) -> dict:
    return shared_server.run(SCRIPT)


def test_the_end_of_a_log(shared_server: RoostServer, failed_run: dict) -> None:
    whole = shared_server.log(failed_run)
    answer = shared_server.api("GET", f"/runs/{failed_run['id']}/logs/{DRIVER_LOG}?tail=100")
    assert answer.body == whole[-100:]
    assert answer.headers["x-log-size"] == str(len(whole)) and answer.headers["x-log-offset"] == str(len(whole) - 100)
    longer = shared_server.api("GET", f"/runs/{failed_run['id']}/logs/{DRIVER_LOG}?tail=1000000")
    assert longer.body == whole and longer.headers["x-log-offset"] == "0"
    refused = shared_server.api("GET", f"/runs/{failed_run['id']}/logs/{DRIVER_LOG}?tail=1&offset=1")
    assert refused.status == 400 and "tail" in refused.message


def test_a_log_as_a_file(shared_server: RoostServer, failed_run: dict) -> None:
    answer = shared_server.api("GET", f"/runs/{failed_run['id']}/logs/{DRIVER_LOG}?download=true")
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="{failed_run["id"]}-70_driver_log.txt"')


def test_lines_by_their_text(shared_server: RoostServer, failed_run: dict) -> None:
    found = shared_server.get(f"/runs/{failed_run['id']}/log-search?text=done+with+NEEDLE")
    assert len(found["items"]) == 1 and found["next_offset"] is None
    match = found["items"][0]
    whole = shared_server.log(failed_run)
    assert whole[match["offset"]:].startswith(match["line"].encode()) and match["line"].startswith("Done With Needle")
    assert found["size"] == len(whole)


def test_many_lines_page_by_page(shared_server: RoostServer, failed_run: dict) -> None:
    offset, lines = 0, []
    while offset is not None:
        page = shared_server.get(f"/runs/{failed_run['id']}/log-search?text=epoch&limit=300&offset={offset}")
        lines += [item["line"] for item in page["items"]]
        offset = page["next_offset"]
    assert [int(line.split()[1]) for line in lines] == list(range(2000))


def test_the_first_error_is_the_traceback(shared_server: RoostServer, failed_run: dict) -> None:
    found = shared_server.get(f"/runs/{failed_run['id']}/log-search?errors=true&limit=1")
    assert found["items"][0]["line"] == "Traceback (most recent call last):"


@pytest.mark.parametrize("query", ["", "text=a&errors=true", "errors=false", "text=a&limit=0", "text=a&attempt=9",
                                   "text=a&name=../x", "errors=perhaps", "text=" + "a" * 501])
def test_wrong_searches_are_refused(shared_server: RoostServer, failed_run: dict, query: str) -> None:
    answer = shared_server.api("GET", f"/runs/{failed_run['id']}/log-search?{query}")
    assert answer.status == 400 and answer.message


def test_outputs_are_shown_without_scripts(shared_server: RoostServer, failed_run: dict) -> None:
    base = f"/runs/{failed_run['id']}/artifacts/outputs"
    for path, kind in [("page.html", "text/html"), ("dot.svg", "image/svg+xml")]:
        answer = shared_server.api("GET", f"{base}/{path}?show=inline", check=False)
        assert answer.content_type == kind and b"<script>" in answer.body, "the bytes are untouched"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("sandbox; default-src 'none'") and "script" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    plain = shared_server.api("GET", f"{base}/page.html", check=False)
    assert plain.content_type == "application/octet-stream" and "sandbox" in plain.headers["content-security-policy"]


def test_an_output_as_a_file(shared_server: RoostServer, failed_run: dict) -> None:
    answer = shared_server.api("GET", f"/runs/{failed_run['id']}/artifacts/outputs/%C3%A4%20b/c%22d.txt?show=download", check=False)
    assert answer.headers["content-disposition"] == "attachment; filename=\"c_d.txt\"; filename*=UTF-8''c%22d.txt"
    assert sha256(answer.body) == answer.headers["etag"].strip('"')
    refused = shared_server.api("GET", f"/runs/{failed_run['id']}/artifacts/outputs/page.html?show=dance")
    assert refused.status == 400 and "inline or download" in refused.message
