"""States of runs, and limits of snapshots."""

from __future__ import annotations

from typing import List


class RunStatus:
    """The states a run can be in, by the names Azure gives them."""

    UNAPPROVED = "Unapproved"
    NOT_STARTED = "NotStarted"
    STARTING = "Starting"
    PROVISIONING = "Provisioning"
    PREPARING = "Preparing"
    QUEUED = "Queued"
    RUNNING = "Running"
    PAUSED = "Paused"
    FINALIZING = "Finalizing"
    CANCEL_REQUESTED = "CancelRequested"
    NOT_RESPONDING = "NotResponding"
    COMPLETED = "Completed"
    FAILED = "Failed"
    CANCELED = "Canceled"

    @classmethod
    def get_running_statuses(cls) -> List[str]:
        """Not begun, or under way."""
        return [
            cls.NOT_STARTED,
            cls.STARTING,
            cls.PROVISIONING,
            cls.PREPARING,
            cls.QUEUED,
            cls.RUNNING,
            cls.NOT_RESPONDING,
        ]

    @classmethod
    def get_post_processing_statuses(cls) -> List[str]:
        """The script has ended, or is about to; files are being collected."""
        return [cls.CANCEL_REQUESTED, cls.FINALIZING]


ONE_MB = 1 << 20
# Roost has no such limits; code that lifts them finds them lifted.
SNAPSHOT_MAX_FILES = 1 << 62
SNAPSHOT_MAX_SIZE_BYTES = 1 << 62
