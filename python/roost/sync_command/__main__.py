"""What `roost sync` starts, by its file: python roost/sync_command FOLDER..."""

import sys

if __name__ == "__main__":
    # A folder that is started is looked in for every module, before Python's own.
    sys.path.pop(0)

    from roost.sync import main

    sys.exit(main(sys.argv[1:]))
