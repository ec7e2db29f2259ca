"""After submit_birds.py: the model becomes an ONNX model, a web service, and tells a chicken from a turkey."""
import json

from azureml.core import Model, Workspace
from azureml.core.webservice import AciWebservice, Webservice
from azureml.exceptions import WebserviceException

ws = Workspace.from_config()
trained = next(model for model in Model.list(ws, name="birds") if model.model_framework != Model.Framework.ONNX)
exported = trained.export_onnx(input_shape=(2, 12))  # the one line that is Roost's own
print(exported.id, "differs from PyTorch by", exported.properties["largest_difference"])

try:
    Webservice(ws, "birds").delete()
except WebserviceException:
    pass
service = Model.deploy(ws, "birds", [exported], deployment_config=AciWebservice.deploy_configuration(cpu_cores=1, memory_gb=1))
service.wait_for_deployment(show_output=True)
print(service.state, service.scoring_uri)

measured = {"a chicken": [0.0] * 12, "a turkey": [0.9] * 12}
scores = service.run(json.dumps({"data": list(measured.values())}))["result"]
for (bird, _), (chicken, turkey) in zip(measured.items(), scores):
    print(bird, "looks like", "a chicken" if chicken > turkey else "a turkey")
