"""Images of before Model.deploy(), against a fake of the server."""

import pytest

from azureml.core import Model
from azureml.core.image import ContainerImage, Image
from azureml.core.webservice import AciWebservice, Webservice
from azureml.exceptions import WebserviceException


def test_legacy_images(server, ws, model, project, capsys):
    (project / "utils.py").write_text("")
    config = ContainerImage.image_configuration(
        execution_script="score.py", runtime="python", conda_file="env.yml",
        dependencies=["utils.py", "source"], tags={"area": "birds"}, description="an image",
    )  # fmt: skip
    image = ContainerImage.create(name="birds", models=[model], image_config=config, workspace=ws)
    image.wait_for_creation(show_output=True)
    assert image.creation_state == "Succeeded" and (image.name, image.version) == ("birds", 1)
    assert 'finished for image birds:1, operation "Succeeded"' in capsys.readouterr().out
    assert "utils.py" in server.files() and "source/score.py" in server.files()
    again = Image.create(workspace=ws, name="birds", models=[model], image_config=config)
    assert again.id == "birds:2" and [one.id for one in Image.list(ws, tags=["area"])] == [
        "birds:2",
        "birds:1",
    ]
    assert ws.images["birds"].version == 2 and ws.images()["birds"].id == "birds:2"
    assert [one.name for one in Model.list(ws)] == ["birds"] and list(ws.models) == ["birds"]
    service = Webservice.deploy_from_image(
        workspace=ws, name="birds-svc", image=Image(ws, id="birds:1"),
        deployment_config=AciWebservice.deploy_configuration(),
    )  # fmt: skip
    (deployment,) = server.sent("birds-svc")["deployments"]
    assert deployment["models"] == ["birds:1"] and deployment["code"]["entry_script"] == "score.py"
    assert service.image_id == "birds:1" and service.image.id == "birds:1"
    assert [one.name for one in Webservice.list(ws, image_name="birds")] == ["birds-svc"]
    image.add_tags({"more": 1})
    assert image.tags == {"area": "birds", "more": "1"}
    image.update({"only": "this"})
    assert Image(ws, "birds", version=1).tags == {"only": "this"}
    image.delete()
    assert [one.id for one in Image.list(ws)] == ["birds:2"]
    with pytest.raises(WebserviceException, match="there is no image"):
        Image(ws, "cats")


def test_deploy_from_model_and_from_paths(server, ws, model, project):
    config = ContainerImage.image_configuration("score.py", "python", "env.yml")
    target = AciWebservice.deploy_configuration(cpu_cores=1, memory_gb=1)
    service = Webservice.deploy_from_model(ws, "birds-svc", [model], config, target)
    service.wait_for_deployment(True)
    assert service.image_id == "birds-svc:1" and service.models[0].id == "birds:1"
    (project / "model.pkl").write_bytes(b"x")
    service = Webservice.deploy(
        workspace=ws, name="paths-svc", model_paths=["model.pkl"], image_config=config,
        deployment_config=target,
    )  # fmt: skip
    assert service.models[0].id == "model.pkl:1"


def test_image_configuration_is_checked(project):
    with pytest.raises(WebserviceException, match="nowhere.py"):
        ContainerImage.image_configuration("nowhere.py", "python")
    with pytest.raises(WebserviceException, match="allow_absolute_path"):
        ContainerImage.image_configuration(str(project / "score.py"), "python")
    with pytest.raises(WebserviceException, match="runtime"):
        ContainerImage.image_configuration("score.py", "cobol")
