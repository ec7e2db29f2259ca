"""Every exercise of every operation: whoever imports this has EXERCISES filled."""
import contract_bin_exercises  # noqa: F401
import contract_endpoint_exercises  # noqa: F401
import contract_exercises  # noqa: F401
import contract_registry_exercises  # noqa: F401
import contract_runner_exercises  # noqa: F401
import contract_secret_exercises  # noqa: F401
import contract_session_exercises  # noqa: F401
import contract_slurm_exercises  # noqa: F401
import contract_studio_exercises  # noqa: F401
import contract_sweep_exercises  # noqa: F401
import contract_table_exercises  # noqa: F401
