"""A run in an image starts whatever the umask of whoever started the server, or of a Slurm job, is."""
from typing import Any

from test_images import base_image, image, pytestmark, run_in, settings, told, wheels  # noqa: F401


def test_under_a_umask_that_closes_everything(make_server: Any, wheels: Any, base_image: str) -> None:  # noqa: F811
    server = make_server(settings(wheels), start=False)
    server.folder.mkdir(parents=True)
    command = server.command()
    server.command = lambda: ["sh", "-c", 'umask 077; exec "$@"', "sh", *command]
    server.start()
    run = run_in(server, image(base_image, "alpha==1.2"), """
        import alpha, os, pwd
        from azureml.core import Run
        Run.get_context().log("loss", 0.5)
        open("outputs/model.txt", "w").write("weights")
        print(alpha.__version__, os.stat("/").st_mode & 0o777 == 0o755, pwd.getpwuid(os.getuid()).pw_name)
    """)
    assert told(server, run).split()[:2] == ["1.2", "True"]
    assert server.artifact(run, "outputs/model.txt") == b"weights"
