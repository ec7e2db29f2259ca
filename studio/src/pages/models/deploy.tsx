// Deploying a version: a new endpoint, or another deployment of one that is there.
import { useState } from "react";
import type { Schemas } from "../../lib/api";
import { createEndpoint, endpointPath, listEndpoints, putDeployment, type Auth } from "../../lib/endpoint";
import { useResource } from "../../lib/resource";
import { navigate } from "../../lib/route";
import { filesOf, loadSnapshot } from "../../lib/snapshot";
import { Button, Problem } from "../../ui/base";
import { Field, FormDialog } from "../../ui/form";
import { notify } from "../../ui/notify";
import { deploymentNameProblem, endpointNameProblem } from "../endpoints/facts";
import { checkReplicas, suggestedName } from "./deploy_fields";

type Model = Schemas["Model"];

/** Only a model with an .onnx file is served without code of one's own. */
export function DeployButton({ workspace, model }: { workspace: string; model: Model }) {
  const [open, setOpen] = useState(false);
  const snapshot = useResource(`snapshot/${model.content}`, () => loadSnapshot(model.content));
  const served = snapshot.data && filesOf(snapshot.data).some((file) => file.path.toLowerCase().endsWith(".onnx"));
  if (!served) return null;
  return (
    <>
      <Button kind="main" onClick={() => setOpen(true)}>
        Deploy …
      </Button>
      {open && <DeployDialog workspace={workspace} model={model} onClose={() => setOpen(false)} />}
    </>
  );
}

function DeployDialog({ workspace, model, onClose }: { workspace: string; model: Model; onClose: () => void }) {
  const [name, setName] = useState(() => suggestedName(model.name));
  const [deployment, setDeployment] = useState("default");
  const [replicas, setReplicas] = useState({ min: "1", max: "1" });
  const [auth, setAuth] = useState<Auth>("key");
  const endpoints = useResource(`endpoints/${workspace}`, () => listEndpoints(workspace));
  const there = endpoints.data?.endpoints.find((one) => one.name === name);
  const before = there?.deployments.find((one) => one.name === deployment);
  const problems = { name: endpointNameProblem(name), deployment: deploymentNameProblem(deployment), ...checkReplicas(replicas) };
  const deploy = async () => {
    const what = { models: [`${model.name}:${model.version}`], replicas: { min: Number(replicas.min), max: Number(replicas.max) } };
    if (there) await putDeployment(workspace, name, deployment, what);
    else await createEndpoint(workspace, name, auth, { name: deployment, ...what });
    notify(`${model.name}:${model.version} is being deployed as ${name}`);
    navigate(endpointPath(workspace, name));
  };
  return (
    <FormDialog title={`Deploy ${model.name}:${model.version}`} action="Deploy" ready={Object.values(problems).every((one) => !one)} act={deploy} onClose={onClose}>
      <Field label="Endpoint" help={there ? "It is there: the version becomes one of its deployments." : `It is called at /endpoints/${name}.`} wrong={problems.name}>
        {(ids) => <input {...ids} type="text" autoComplete="off" list="endpoint-names" value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <datalist id="endpoint-names">
        {endpoints.data?.endpoints.map((one) => (
          <option key={one.name} value={one.name} />
        ))}
      </datalist>
      <Field
        label="Deployment"
        help={before ? `It serves ${before.models.map((one) => one.id).join(", ") || "code"} now, and is replaced without failing a request.` : there ? "A new one, without traffic until you give it some." : "A name for this version's part of the endpoint."}
        wrong={problems.deployment}
      >
        {(ids) => <input {...ids} type="text" autoComplete="off" value={deployment} onChange={(event) => setDeployment(event.target.value)} />}
      </Field>
      <div className="form-pair">
        <Field label="Least replicas" help="0: none while nobody asks; the first request waits for one." wrong={problems.min}>
          {(ids) => <input {...ids} type="text" inputMode="numeric" autoComplete="off" value={replicas.min} onChange={(event) => setReplicas({ ...replicas, min: event.target.value })} />}
        </Field>
        <Field label="Most replicas" help="As many as the load needs, up to this." wrong={problems.max}>
          {(ids) => <input {...ids} type="text" inputMode="numeric" autoComplete="off" value={replicas.max} onChange={(event) => setReplicas({ ...replicas, max: event.target.value })} />}
        </Field>
      </div>
      {!there && (
        <fieldset>
          <legend>Who may call it</legend>
          <label>
            <input type="radio" name="auth" checked={auth === "key"} onChange={() => setAuth("key")} /> who has its key
          </label>
          <label>
            <input type="radio" name="auth" checked={auth === "none"} onChange={() => setAuth("none")} /> all who reach it
          </label>
        </fieldset>
      )}
      {endpoints.error && <Problem error={endpoints.error} retry={endpoints.reload} />}
    </FormDialog>
  );
}
