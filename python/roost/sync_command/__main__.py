"""What `roost sync` starts, by its file: python roost/sync_command FOLDER..."""

import sys

# A folder that is started is looked in for every module, before Python's own.
sys.path.pop(0)

from roost.sync import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
