"""A workspace that keeps what it is sent, for tests that need no server."""

from roost.errors import RoostError


class FakeClient:
    """Answers for environments and for the files of one datastore, {path: two hex digits}."""

    url = "http://127.0.0.1:1"
    _server_file = None

    def __init__(self):
        self.environments = []
        self.files = {}
        self.manifests = []
        self.computes = {}
        self.datasets = []

    def post(self, path, body=None, **query):
        if path.endswith("/environments"):
            self.environments.append(body)
            version = sum(one["name"] == body["name"] for one in self.environments)
            return {**body, "version": str(version), "curated": False, "notice": None}
        if path.endswith("/datasets"):
            self.datasets.append(body)
            return {**body, "id": f"set-{len(self.datasets)}", "version": 1}
        raise AssertionError(path)

    def get(self, path, **query):
        raise RoostError("not_found", f"there is nothing at {path}")

    def pages(self, path, prefix=None, **query):
        assert path.endswith("/files"), path
        for name, content in sorted(self.files.items()):
            if name.startswith(prefix or ""):
                yield {"path": name, "size": len(content), "digest": content * 32, "at": "now"}

    def send(self, method, path, content, content_type, **query):
        assert (method, path) == ("POST", "/api/v1/snapshots")
        self.manifests.append(content.decode())
        known = sorted(set(self.manifests), key=self.manifests.index)
        return b'{"digest": "d%d", "missing": []}' % (known.index(content.decode()) + 1)


class FakeWorkspace:
    name = "default"
    location = "local"

    def __init__(self):
        self._client = FakeClient()

    def _path(self, *parts):
        return "/".join(["/api/v1/workspaces/default", *parts])


def datastore(workspace, name="workspaceblobstore"):
    from azureml.core import Datastore

    facts = {"name": name, "type": "AzureBlob", "properties": {}, "is_default": True}
    return Datastore(workspace, name, facts)
