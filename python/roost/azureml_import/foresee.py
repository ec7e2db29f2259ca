"""From what the follower saw to what will happen: asks the world, and says who has to act."""

from __future__ import annotations

import ast
import os
import re
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from . import packages
from .azure_calls import is_ours, own_attribute
from .config_file import find_config, read_workspace
from .downloads import shell_address
from .files import Files
from .follow import Follower
from .found import ABSENT, NOTE, ROOST, UNKNOWN, YOU, Foreseen, Piece, Place, Source
from .index import Index
from .scene import Event, Imported, Thing
from .world import World, environment_of

Trees = List[Tuple[Piece, ast.Module]]
# (text of a script) -> (its trees, what Roost lacks of it, why it cannot be read)
ReadScript = Callable[[str, str], Tuple[Trees, List[str], List[str]]]

_EXPERIMENT = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,255}$")
_MLRUNS = (
    "What MLflow logs goes to ./mlruns, which is kept with the run; it is not among its metrics."
)
_URLLIB = "urllib.request is used, but only urllib is imported: write `import urllib.request`"
_INPUT = "input() waits for somebody to type"
_PIP = re.compile(r"\bpip3?\s+install\s+(.*)$")
_KINDS = {
    "need_compute": ("computes", "the compute", "roost compute create {0}"),
    "need_dataset": (
        "datasets",
        "the dataset",
        "register it with Dataset.File.from_files(...).register(ws, '{0}')",
    ),
    "need_model": ("models", "the model", "roost model register {0} FILE"),
    "need_datastore": (
        "datastores",
        "the datastore",
        "Datastore.register_azure_blob_container(ws, '{0}', 'x', 'x')",
    ),
}
_MADE = {
    "make_compute": "computes", "make_dataset": "datasets", "make_model": "models",
    "make_datastore": "datastores", "make_environment": "environments",
}  # fmt: skip


class Foresight:
    """For one project; `root` is the folder that was named, from where scripts may be called."""

    def __init__(self, world: World, root: str, read_script: ReadScript) -> None:
        self._world = world
        self._root = os.path.abspath(root)
        self._read_script = read_script
        self._index = Index(world.servers_python(), world.offline)
        self.submitted: Set[str] = set()  # scripts that runs start with, by their paths

    def look(self, source: Source, trees: Trees) -> List[Foreseen]:
        """What happens if the file is run from its folder, or from `root` if that suits more."""
        folder = os.path.dirname(os.path.abspath(source.path))
        first = _Look(self._world, self._index, self._read_script, Files(folder), source)
        first.run(trees)
        if folder != self._root and first.misses_files:
            other = _Look(self._world, self._index, self._read_script, Files(self._root), source)
            other.run(trees)
            if len(other.foreseen) < len(first.foreseen):
                first = other
        self.submitted |= first.submitted
        return list(dict.fromkeys(first.foreseen))


class _Look:
    def __init__(
        self, world: World, index: Index, read_script: ReadScript, files: Files, source: Source
    ) -> None:
        self.foreseen: List[Foreseen] = []
        self.submitted: Set[str] = set()
        self.misses_files = False
        self._world = world
        self._index = index
        self._read_script = read_script
        self._files = files
        self._source = source
        self._workspace: Optional[str] = None
        self._made: Dict[str, Set[str]] = {}
        self._nodes: Dict[str, Any] = {}  # of computes that the code makes
        self._uploaded: List[Tuple[Any, Any]] = []
        self._installed: Set[str] = set()  # modules that cells install

    def say(self, by: str, text: str, place: Optional[Place] = None, file: str = "") -> None:
        self.foreseen.append(Foreseen(by, text, place, file))

    def run(self, trees: Trees) -> None:
        self._look_at_shell()
        follower = Follower(self._files, os.path.abspath(self._source.path))
        written = {piece: piece.target for piece, _ in trees if piece.target}
        follower.run(trees, written)
        configs: List[Tuple[Thing, Place]] = []
        for event in follower.events:
            if event.kind in ("config", "submit"):
                config = event["config"]
                configs = [(one, place) for one, place in configs if one is not config]
                configs.append((config, event.place))
            elif event.kind == "build":
                self._look_at_environment(event["environment"], "local", event.place)
            else:
                self._look_at_event(event)
        self._look_at_imports(follower.imports, self._world.python, follower)
        for config, place in configs:
            self._look_at_submission(config, place)

    # Shell lines of notebooks.

    def _look_at_shell(self) -> None:
        for line in self._source.shell_lines:
            address = shell_address(line.text)
            if address:
                self._fetches(address, line.text.split()[0], line.place)
            installs = _PIP.search(line.text)
            if installs:
                names = [w for w in installs.group(1).split() if not w.startswith("-")]
                self._installed.update(
                    packages.as_modules({re.split(r"[=<>!~\[]", n)[0].lower(): 1 for n in names})
                )
            if re.match(r"\s*(unzip|tar|git\s+clone|wget|curl|cp|mv|7z|azcopy)\b", line.text):
                self._files.fill_folder(".")
            for made in re.findall(r"\bmkdir\s+(?:-p\s+)?(\S+)", line.text):
                self._files.make_folder(made)

    # Names, files and addresses.

    def _look_at_event(self, event: Event) -> None:
        handler = getattr(self, "_on_" + event.kind, None)
        if event.kind in _MADE:
            self._made.setdefault(_MADE[event.kind], set()).add(str(event["name"]))
        if event.kind in _KINDS:
            self._needs_name(event)
        elif handler is not None:
            handler(event)

    def _on_need_config(self, event: Event) -> None:
        path = event["path"]
        if path is UNKNOWN:
            return
        found: Optional[str] = None
        if isinstance(path, str) and self._files.is_file(path):
            found = self._files.real(path)
        else:
            found = find_config(self._files.absolute(path or "."))
        if found is None:
            where = os.path.join(path or ".", "config.json")
            self.say(
                YOU,
                "Workspace.from_config() finds no config.json: write "
                f'{{"workspace_name": "default"}} into {where}',
                event.place,
            )
            return
        workspace, problem = read_workspace(found)
        if workspace is None:
            self.say(YOU, f"{found} {problem}", event.place)
            return
        self._needs_workspace(workspace, event)

    def _on_need_workspace(self, event: Event) -> None:
        self._needs_workspace(event["name"], event)

    def _needs_workspace(self, name: Any, event: Event) -> None:
        if not isinstance(name, str):
            return
        self._workspace = self._workspace or name
        there = self._world.names("", "workspaces")
        if (
            there is None
            or name in there
            or name in self._made.get("workspaces", set())
            or event.guarded
        ):
            return
        self.say(
            YOU,
            f"there is no workspace {name} on the server: roost workspace create {name}",
            event.place,
        )

    def _on_make_workspace(self, event: Event) -> None:
        name = event["name"]
        there = self._world.names("", "workspaces")
        if isinstance(name, str):
            if (
                there is not None
                and name in there
                and event["exist_ok"] is not True
                and not event.guarded
            ):
                self.say(
                    YOU, f"the workspace {name} exists already: pass exist_ok=True", event.place
                )
            self._made.setdefault("workspaces", set()).add(name)
            self._workspace = self._workspace or name

    def _needs_name(self, event: Event) -> None:
        name = event["name"]
        kind, what, how = _KINDS[event.kind]
        if isinstance(name, str) and not event.guarded and not self._is_there(kind, name):
            self.say(YOU, f"{what} {name} is not on the server: {how.format(name)}", event.place)

    def _is_there(self, kind: str, name: str) -> bool:
        if name in self._made.get(kind, set()) or (kind == "computes" and name == "local"):
            return True
        there = self._world.names(self._workspace or "default", kind)
        return there is None or name in there

    def _on_need_environment(self, event: Event) -> None:
        name = event["name"]
        if not isinstance(name, str) or event.guarded or self._world.server() is None:
            return
        if name in self._made.get("environments", set()):
            return
        if self._world.find(self._workspace or "default", "environments", name) is None:
            self.say(
                YOU, f"the environment {name} is not on the server: register it there", event.place
            )

    def _on_make_compute(self, event: Event) -> None:
        name, size = event["name"], event["vm_size"]
        if isinstance(name, str):
            self._nodes[name] = event["max_nodes"]
        sizes = self._world.vm_sizes()
        if isinstance(size, str) and sizes and size.lower() not in sizes:
            self.say(
                YOU,
                f"no VM size is called {size}; `roost compute create --help` tells which there are",
                event.place,
            )

    def _on_uploaded(self, event: Event) -> None:
        self._uploaded.append((event["datastore"], event["path"]))

    def _on_need_data(self, event: Event) -> None:
        store, path = event["datastore"], event["path"]
        if not isinstance(path, str) or event.guarded:
            return
        start = path.strip("./").split("*")[0].rstrip("/")
        for other, uploaded in self._uploaded:
            same = other == store or UNKNOWN in (other, store)
            if same and (
                uploaded is UNKNOWN
                or start.startswith(str(uploaded).strip("./"))
                or str(uploaded).strip("./").startswith(start)
            ):
                return
        name = store if isinstance(store, str) else "workspaceblobstore"
        if self._world.has_files(self._workspace or "default", name, start) is False:
            self.say(
                YOU,
                f"the datastore {name} has no files at {path}: upload them with "
                "Datastore.upload() or Dataset.File.upload_directory()",
                event.place,
            )

    def _on_experiment(self, event: Event) -> None:
        name = event["name"]
        if isinstance(name, str) and not _EXPERIMENT.match(name):
            self.say(
                YOU,
                f"{name!r} is not a name for an experiment: letters, digits, '-', '_' and '.' only",
                event.place,
            )

    def _on_need_file(self, event: Event) -> None:
        if not event.guarded:
            self.misses_files = True
            self.say(YOU, f"{event['path']} is not there, {event['what']}", event.place)

    def _on_refused(self, event: Event) -> None:
        if not event.guarded:
            self.misses_files = self.misses_files or "annot read" in str(event["text"])
            self.say(YOU, str(event["text"]), event.place)

    def _on_internet(self, event: Event) -> None:
        if not event.guarded:
            self._fetches(str(event["url"] or ""), str(event["by"]), event.place)

    def _fetches(self, url: str, by: str, place: Optional[Place], file: str = "") -> None:
        if not url:
            self.say(
                YOU,
                f"{by} fetches from the internet: where it runs must reach it, or have the files",
                place,
                file,
            )
            return
        answer = self._world.answers(url)
        if answer == "":
            self.say(NOTE, f"fetches {url}, which answers from here", place, file)
        elif answer is None:
            self.say(
                YOU,
                f"fetches {url}: where it runs must reach that, or have the file already",
                place,
                file,
            )
        else:
            self.say(
                YOU,
                f"fetches {url}, but {answer}: put the file where the code finds it",
                place,
                file,
            )

    def _on_need_secret(self, event: Event) -> None:
        name = event["name"]
        if not isinstance(name, str) or event.guarded:
            return
        variable = re.sub(r"[^A-Za-z0-9]", "_", name).upper()
        if name not in os.environ and variable not in os.environ:
            self.say(
                YOU,
                f"the secret {name}: `roost secret set {name}`, or set the variable {variable}",
                event.place,
            )

    def _on_need_variable(self, event: Event) -> None:
        name = event["name"]
        if isinstance(name, str) and not event.guarded and name not in os.environ:
            self.say(YOU, f"the variable {name} is not set here", event.place)

    def _on_need_arguments(self, event: Event) -> None:
        flags = ", ".join(one[-1] for one in event["flags"])
        self.say(YOU, f"it is to be called with {flags}", event.place)

    def _on_need_input(self, event: Event) -> None:
        self.say(YOU, _INPUT, event.place)

    def _on_urllib(self, event: Event) -> None:
        if event.guarded or (event["azureml"] is True and self._world.urllib_comes_with_azureml()):
            return
        self.say(
            YOU,
            _URLLIB,
            event.place,
        )

    # Modules.

    def _look_at_imports(self, imports: List[Imported], python: str, follower: Follower) -> None:
        foreign = self._foreign(imports, self._files)
        missing = set(
            self._world.missing_modules(python, [one.module.split(".")[0] for one in foreign])
        )
        for one in foreign:
            module = one.module.split(".")[0]
            if module in missing and module not in self._installed:
                self.say(
                    YOU,
                    f"{python} has no {module}: pip install {packages.package_of(module)}",
                    one.place,
                )

    def _foreign(self, imports: List[Imported], files: Files) -> List[Imported]:
        """Those that come with packages; what the user's own modules import counts too."""
        found: Dict[str, Imported] = {}
        waiting, seen = list(imports), set()
        while waiting:
            one = waiting.pop(0)
            module = one.module.split(".")[0]
            if not module or one.guarded or module in seen or one.module.startswith("."):
                continue
            seen.add(module)
            if files.is_file(f"{module}.py"):
                waiting += self._imports_of(f"{module}.py", files, one.place)
            elif files.is_folder(module):
                for name in files.names(module):
                    if name.endswith(".py"):
                        waiting += self._imports_of(os.path.join(module, name), files, one.place)
            elif not self._world.is_python_own(module) and module not in (
                "azureml",
                "azure",
                "roost",
            ):
                found[module] = one
        return list(found.values())

    def _imports_of(self, path: str, files: Files, place: Place) -> List[Imported]:
        trees, _, _ = self._read_script(path, files.read(path) or "")
        follower = Follower(files, path)
        follower.run(trees, {})
        return [Imported(one.module, place, one.guarded) for one in follower.imports]

    # Runs.

    def _look_at_submission(self, config: Thing, place: Place) -> None:
        run_config = config.get("run_config")
        target = own_attribute(run_config, "target") if is_ours(run_config) else UNKNOWN
        name = target.get("name") if isinstance(target, Thing) else target
        self._look_at_compute(name, config, run_config, place)
        environment = own_attribute(run_config, "environment") if is_ours(run_config) else UNKNOWN
        if isinstance(environment, Thing) and isinstance(environment.get("name"), str):
            found = self._world.find(
                self._workspace or "default", "environments", environment.get("name")
            )
            environment = environment_of(found) if found else UNKNOWN
        outlook = self._look_at_environment(environment, name, place)
        folder = config.get("source_directory")
        folder = "." if folder in (None, UNKNOWN, "") else folder
        if not isinstance(folder, str):
            return
        if not self._files.is_folder(folder):
            self.misses_files = True
            self.say(YOU, f"source_directory {folder!r} does not exist", place)
            return
        script = config.get("script")
        command = config.get("command")
        if script in (None, UNKNOWN):
            words = (
                command.split()
                if isinstance(command, str)
                else command
                if isinstance(command, list)
                else []
            )
            script = next((w for w in words if isinstance(w, str) and w.endswith(".py")), UNKNOWN)
        if isinstance(script, str):
            self._look_at_script(folder, script, config, outlook, place)

    def _look_at_compute(self, name: Any, config: Thing, run_config: Any, place: Place) -> None:
        if not isinstance(name, str):
            return
        if not self._is_there("computes", name):
            self.say(
                YOU, f"the compute {name} is not on the server: roost compute create {name}", place
            )
            return
        distributed = config.get("distributed_job_config")
        wanted = (
            own_attribute(distributed, "node_count")
            if is_ours(distributed)
            else config.get("node_count")
        )
        if not isinstance(wanted, int) and is_ours(run_config):
            wanted = own_attribute(run_config, "node_count")
        most = self._nodes.get(name, UNKNOWN)
        there = self._world.find(self._workspace or "default", "computes", name)
        if there is not None:
            most = there.get("max_nodes", most)
        if isinstance(wanted, int) and isinstance(most, int) and wanted > most:
            self.say(
                YOU,
                f"it asks for {wanted} nodes, and {name} has at most {most}: "
                f"roost compute update {name} --max-nodes {wanted}",
                place,
            )

    def _look_at_environment(
        self, environment: Any, target: Any, place: Place
    ) -> Optional[packages.Outlook]:
        if not is_ours(environment):
            return None
        outlook = packages.look_at(environment, target, self._world, self._index)
        source = vars(environment.python.conda_dependencies or environment).get("_from") or vars(
            environment
        ).get("_from", "")
        where = vars(environment).get("_place", place)
        for by, text in outlook.remarks:
            self.say(by, text, where, str(source))
        return outlook

    def _look_at_script(
        self,
        folder: str,
        script: str,
        config: Thing,
        outlook: Optional[packages.Outlook],
        place: Place,
    ) -> None:
        path = script if os.path.isabs(script) else os.path.join(folder, script)
        self.submitted.add(self._files.absolute(path))
        if not self._files.is_file(path):
            self.misses_files = True
            self.say(YOU, f"there is no {script} in {folder}", place)
            return
        if script.endswith(".ipynb"):
            self.say(
                YOU,
                f"{script} is a notebook, not a script: jupyter nbconvert --to script",
                place,
            )
            return
        text = self._files.read(path)
        if text is None or not script.endswith(".py"):
            return
        trees, lacking, unread = self._read_script(path, text)
        for reason in unread:
            self.say(YOU, reason, place, script)
        for what in lacking:
            self.say(ABSENT, what, place, script)
        inside = self._files.view(folder)
        follower = Follower(inside, script, in_run=True)
        follower.run(trees, {})
        self._look_inside_run(follower, config, outlook, script, inside)

    def _look_inside_run(
        self,
        follower: Follower,
        config: Thing,
        outlook: Optional[packages.Outlook],
        script: str,
        files: Files,
    ) -> None:
        for event in follower.events:
            if event.guarded:
                continue
            if event.kind == "internet":
                self._fetches(str(event["url"] or ""), str(event["by"]), event.place, script)
            elif event.kind == "need_file":
                self.say(
                    YOU,
                    f"{event['path']} is not in the source folder, {event['what']}",
                    event.place,
                    script,
                )
            elif event.kind == "need_arguments":
                self._look_at_arguments(event, config, script)
            elif event.kind == "need_input":
                self.say(YOU, _INPUT, event.place, script)
            elif event.kind == "urllib" and not (
                event["azureml"] is True and self._world.urllib_comes_with_azureml()
            ):
                self.say(
                    YOU,
                    _URLLIB,
                    event.place,
                    script,
                )
        foreign = self._foreign(follower.imports, files)
        self._look_at_modules(foreign, outlook, script)
        if any(one.module.split(".")[0] == "mlflow" for one in follower.imports):
            self.say(ROOST, _MLRUNS, None, script)

    def _look_at_arguments(self, event: Event, config: Thing, script: str) -> None:
        given = config.get("arguments")
        if config.get("command") not in (None, UNKNOWN) or not isinstance(
            given, (list, tuple, type(None))
        ):
            return
        words = [str(word).split("=")[0] for word in given or []]
        missing = [
            one[-1]
            for one in event["flags"]
            if one[0].startswith("-") and not set(one) & set(words)
        ]
        if missing and not any(word is UNKNOWN for word in given or []):
            self.say(YOU, f"it is to be called with {', '.join(missing)}", event.place, script)

    def _look_at_modules(
        self, foreign: List[Imported], outlook: Optional[packages.Outlook], script: str
    ) -> None:
        if outlook is None or outlook.isolated or not foreign:
            return
        names = [one.module.split(".")[0] for one in foreign]
        if outlook.built:
            missing = {name for name in names if not outlook.provides(name)}
            where = "the environment"
        else:
            python = outlook.python or self._world.servers_python()
            missing = set(self._world.missing_modules(python, names))
            where = f"{python}, in which it runs,"
        for one in foreign:
            name = one.module.split(".")[0]
            if name in missing:
                self.say(
                    YOU,
                    f"{where} has no {name}: add {packages.package_of(name)} to the environment",
                    one.place,
                    script,
                )
