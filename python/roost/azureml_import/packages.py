"""What becomes of an environment: what is built of it, what is moved, and what it lacks."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from typing import Any, Dict, List, Optional, Set, Tuple

from .azure_calls import own_attribute
from .found import ABSENT, NOTE, ROOST, YOU
from .index import Index, applies, matching, nearest
from .world import World

# Where a package and the module it brings have different names.
_MODULES = {
    "scikit-learn": "sklearn", "opencv-python": "cv2", "opencv-python-headless": "cv2",
    "pillow": "PIL", "pyyaml": "yaml", "python-dateutil": "dateutil", "beautifulsoup4": "bs4",
    "scikit-image": "skimage", "protobuf": "google", "pytorch-lightning": "pytorch_lightning",
    "tensorflow-gpu": "tensorflow", "tensorflow-cpu": "tensorflow", "horovod": "horovod",
    "azureml-mlflow": "mlflow", "mlflow-skinny": "mlflow", "attrs": "attr",
}  # fmt: skip
# What usual packages bring along; asked only where the index does not tell.
_BRINGS = {
    "scikit-learn": ["numpy", "scipy", "joblib", "threadpoolctl"],
    "pandas": ["numpy", "python-dateutil", "pytz", "six"],
    "scipy": ["numpy"],
    "torchvision": ["torch", "numpy", "pillow"],
    "torch": ["typing-extensions", "filelock"],
    "matplotlib": ["numpy", "pillow", "python-dateutil"],
    "seaborn": ["matplotlib", "pandas", "numpy"],
    "xgboost": ["numpy", "scipy"],
    "lightgbm": ["numpy", "scipy"],
    "tensorflow": ["numpy", "keras", "tensorboard", "h5py", "six", "protobuf"],
    "keras": ["numpy", "h5py"],
    "transformers": ["numpy", "requests", "tqdm", "pyyaml", "tokenizers", "huggingface-hub"],
    "pytorch-lightning": ["torch", "numpy", "tqdm", "pyyaml", "torchmetrics"],
    "mlflow": ["numpy", "pandas", "scikit-learn", "pyyaml", "requests", "matplotlib"],
    "azureml-mlflow": ["mlflow"],
    "horovod": ["cloudpickle", "psutil", "pyyaml"],
}
# As pip knows what conda calls otherwise.
_FROM_CONDA = {"pytorch": "torch", "opencv": "opencv-python-headless", "py-xgboost": "xgboost"}
_ONLY_CONDA = re.compile(
    r"^(cudatoolkit|cudnn|nccl|mkl|libgcc.*|ld_impl.*|_libgcc.*|openmpi|mpich)$"
)

Remark = Tuple[str, str]  # by whom, what


class Outlook:
    """What becomes of one environment. `python` runs the script if nothing is built."""

    def __init__(self) -> None:
        self.remarks: List[Remark] = []
        self.python: Optional[str] = None
        self.packages: Set[str] = set()
        self.built = False
        self.isolated = False  # in an image, of which nothing is known

    def say(self, by: str, text: str) -> None:
        if (by, text) not in self.remarks:
            self.remarks.append((by, text))

    def provides(self, module: str) -> bool:
        wanted = module.split(".")[0]
        for package in self.packages:
            names = {_MODULES.get(package, ""), package.replace("-", "_"), package}
            if wanted in names or wanted.lower() in names:
                return True
        return False


def look_at(environment: Any, target: Any, world: World, index: Index) -> Outlook:
    """`environment` is the SDK's object."""
    outlook = Outlook()
    python = own_attribute(environment, "python")
    docker = own_attribute(environment, "docker")
    image = own_attribute(docker, "base_image")
    dockerfile = own_attribute(docker, "base_dockerfile")
    if isinstance(dockerfile, str) and dockerfile:
        _look_at_dockerfile(dockerfile, outlook, world)
        return outlook
    if isinstance(image, str) and image and not _is_azures(image):
        _needs_buildah(f"the base image {image}", outlook, world)
        outlook.isolated = True
        return outlook
    if own_attribute(python, "user_managed_dependencies") is True:
        outlook.python = _managed_python(
            own_attribute(python, "interpreter_path"), target, world, outlook
        )
        return outlook
    packages = own_attribute(python, "conda_dependencies")
    version, conda, pip = _listed(packages)
    if not conda and not pip and not version:
        outlook.python = world.servers_python()
        return outlook
    outlook.built = True
    taken = _look_at_python(version, outlook, world)
    strict = (os.environ.get("ROOST_PINS") or own_attribute(environment, "pins")) == "strict"
    for line in conda:
        _look_at_conda(line, taken, strict, outlook, world, index)
    for line in pip:
        _look_at_requirement(line, taken, strict, outlook, world, index)
    if "azureml-mlflow" in outlook.packages and "mlflow" not in outlook.packages:
        outlook.packages.add("mlflow")
    _add_dependencies(outlook.packages, index)
    return outlook


def _is_azures(image: str) -> bool:
    """Azure's own base images held CUDA and an empty conda; Roost needs neither."""
    return image.startswith("azureml/") or "/azureml/" in image


def _listed(packages: Any) -> Tuple[str, List[str], List[str]]:
    """The condition on Python, what conda is asked for, and what pip is."""
    if packages is None:
        return "", [], []
    conda: List[str] = []
    version = ""
    try:
        names = list(packages.conda_packages)
        pip = [
            *packages.pip_packages,
            *(line for line in packages.pip_options if _names_file(line)),
        ]
    except Exception:
        return "", [], []
    for line in names:
        name = _conda_name(line)
        if name == "python":
            version = re.sub(r"^\s*python\s*", "", line.strip()).lstrip("= ")
        elif name != "pip" and not _is_provided(name):
            conda.append(line)
    return (
        version,
        conda,
        [line for line in pip if not _is_provided(_package_name(line)) or _mlflow(line)],
    )


def _mlflow(line: str) -> bool:
    return _package_name(line) == "azureml-mlflow"


def _is_provided(name: str) -> bool:
    return name == "azureml" or name.startswith("azureml-")


def _names_file(line: str) -> bool:
    return bool(re.match(r"(-r|--requirement|-c|--constraint|-e|--editable)\b", line))


def _conda_name(line: str) -> str:
    return re.split(r"[ =<>!~\[]", line.strip().rpartition("::")[2], maxsplit=1)[0].lower()


def _package_name(line: str) -> str:
    found = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", line)
    return re.sub(r"[-_.]+", "-", found.group(1)).lower() if found else ""


def _look_at_python(version: str, outlook: Outlook, world: World) -> str:
    """The Python that will be taken, such as 3.11."""
    own = world.version_of(world.servers_python())
    wanted = re.match(r"3\.\d+", version)
    if wanted is None or wanted.group(0) == own:
        return own
    if any(shutil.which(f"python{wanted.group(0)}", path=folder) for folder in (None, "/usr/bin")):
        return wanted.group(0)
    if not re.search(r"[<>!~*,]", version):
        outlook.say(
            ROOST,
            f"python={version}: this machine has {own}, which is taken unless conda can fetch "
            f"{wanted.group(0)}",
        )
    return own


def _look_at_conda(
    line: str, python: str, strict: bool, outlook: Outlook, world: World, index: Index
) -> None:
    name = _conda_name(line)
    outlook.packages.add(_FROM_CONDA.get(name, name))
    if _has_conda_tool(world):
        return
    if _ONLY_CONDA.match(name):
        outlook.say(NOTE, f"{line} is conda's own; pip's packages bring what they need of it")
        return
    condition = re.sub(r"^[^ =<>!~]+", "", line.strip().rpartition("::")[2]).strip()
    pinned = re.match(r"={1,2}\s*([\w.]+)", condition)
    pip = _FROM_CONDA.get(name, name)
    requirement = (
        f"{pip}=={pinned.group(1)}.*" if pinned and "==" not in condition else f"{pip}{condition}"
    )
    if pip != name:
        outlook.say(NOTE, f"{line} is asked of pip as {pip}")
    _look_at_requirement(requirement, python, strict, outlook, world, index, shown=line)


def _has_conda_tool(world: World) -> bool:
    if any(shutil.which(tool) for tool in ("micromamba", "mamba", "conda")):
        return True
    return not world.missing_modules(world.servers_python(), ["rattler"])


def _look_at_requirement(
    line: str,
    python: str,
    strict: bool,
    outlook: Outlook,
    world: World,
    index: Index,
    shown: str = "",
) -> None:
    shown = shown or line
    if _names_file(line):
        outlook.say(
            YOU, f"{line!r} names a file that only you have: write its requirements into the list"
        )
        return
    name = _package_name(line)
    if not name or re.match(r"\s*[\w.-]+\s*@|[\w+]+:", line) or not applies(line, python):
        return
    asked = "mlflow" if name == "azureml-mlflow" else name
    outlook.packages.add(name)
    versions = index.versions(asked, python)
    own = _machines_own(asked, world)
    if versions is None:
        if not own:
            outlook.say(
                YOU,
                f"{shown}: no package index answers from here, and this machine's Python does not "
                "have it",
            )
        return
    if not versions:
        if own:
            outlook.say(ROOST, f"{shown} becomes {name} {own} of this machine")
        elif index.files(asked):
            outlook.say(YOU, f"{shown}: no version of it is made for Python {python}")
        else:
            outlook.say(YOU, f"{shown}: the package index has no package of that name")
        return
    fitting = matching(line, versions) if name == asked else versions
    if fitting is None or fitting:
        return
    best = nearest(line, versions)
    if strict:
        outlook.say(
            YOU,
            f"{shown} cannot be had for Python {python} and pins are strict; the nearest is {best}",
        )
    else:
        outlook.say(
            ROOST, f"{shown} cannot be had for Python {python}; the nearest is taken, about {best}"
        )


def _machines_own(name: str, world: World) -> str:
    """The version that the machine's own Python has."""
    import subprocess

    code = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
    done = subprocess.run(
        [world.servers_python(), "-c", code, name], capture_output=True, text=True, cwd="/"
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def _add_dependencies(packages: Set[str], index: Index) -> None:
    waiting = list(packages)
    while waiting and len(packages) < 500:
        name = waiting.pop()
        for other in _BRINGS.get(name) or _required(name, index):
            if other not in packages:
                packages.add(other)
                waiting.append(other)


def _required(name: str, index: Index) -> List[str]:
    """What a wheel that lies in a folder says it needs."""
    for folder in index.folders():
        for path in folder:
            if (
                not path.endswith(".whl")
                or _package_name(os.path.basename(path).split("-")[0]) != name
            ):
                continue
            try:
                with zipfile.ZipFile(path) as wheel:
                    inner = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
                    text = wheel.read(inner).decode("utf-8", "replace")
            except (OSError, StopIteration, zipfile.BadZipFile):
                continue
            lines = re.findall(r"^Requires-Dist:\s*(.+)$", text, re.M)
            return [_package_name(line) for line in lines if "extra ==" not in line]
    return []


# Images.


def _needs_buildah(what: str, outlook: Outlook, world: World) -> None:
    if world.is_server_here() and shutil.which("buildah") is None:
        outlook.say(
            YOU,
            f"{what} is built by buildah, which is not on this machine: apt-get install buildah",
        )


def _look_at_dockerfile(text: str, outlook: Outlook, world: World) -> None:
    outlook.isolated = True
    steps = [line.strip() for line in re.sub(r"\\\n", " ", text).splitlines()]
    for step in steps:
        copied = re.match(r"(COPY|ADD)\s+(?!--from)(\S+)", step, re.I)
        if copied and not re.match(r"https?://", copied.group(2)):
            outlook.say(
                ABSENT,
                f"the Dockerfile's {step!r}: the files beside a Dockerfile are not sent; put them "
                "into the source folder",
            )
    _needs_buildah("the Dockerfile", outlook, world)


def _managed_python(path: Any, target: Any, world: World, outlook: Outlook) -> str:
    if isinstance(path, str) and os.path.isabs(path):
        if world.is_server_here() and not os.access(path, os.X_OK):
            outlook.say(YOU, f"the interpreter {path} is not on this machine")
        return path
    return world.python if target == "local" else world.servers_python()


def as_modules(packages: Dict[str, Any]) -> List[str]:
    return [_MODULES.get(name, name.replace("-", "_")) for name in packages]


def package_of(module: str) -> str:
    """What to install for a module."""
    usual = {"cv2": "opencv-python-headless", "tensorflow": "tensorflow", "mlflow": "mlflow"}
    for package, brought in _MODULES.items():
        if brought == module:
            return usual.get(module, package)
    return module.replace("_", "-")
