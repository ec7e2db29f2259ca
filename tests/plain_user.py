"""A server that is not root, whoever runs the tests."""
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from roost_fixture import RoostServer, roost_program

NOBODY = 65534


class PlainServer(RoostServer):
    """Runs as the user of the tests, or as nobody if that is root. close() also removes its folder."""

    def __init__(self, config: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(Path(tempfile.mkdtemp(prefix="roost-plain-")), config)
        self.program = self.folder / "roost"
        shutil.copy(roost_program(), self.program)
        self.program.chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)

    def command(self) -> List[str]:
        plain = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
        return [*plain, str(self.program), *super().command()[1:]]

    def close(self) -> None:
        super().close()
        shutil.rmtree(self.folder)
