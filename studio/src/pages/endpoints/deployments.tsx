// The deployments of an endpoint, each with its models and replicas.
import { useState } from "react";
import { deleteDeployment, restart, type Deployment, type DeploymentStatistics, type Endpoint, type Statistics } from "../../lib/endpoint";
import { segment } from "../../lib/api";
import { runPath, workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Link, Time } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { colorOf, errorsText, milliseconds, rate } from "./facts";
import { EndpointStatus, ReplicaStatus } from "./status";

type OnEndpoint = (endpoint: Endpoint) => void;

function replicasText({ replicas }: Deployment): string {
  const { min, max = min, target_utilization, idle_seconds } = replicas;
  if (min === max) return `${min}, fixed`;
  return `${min} to ${max}, aims at ${target_utilization} % busy${min === 0 ? `, none after ${idle_seconds} s without requests` : ""}`;
}

/** Why there is no replica. */
function absence({ state, wanted }: Deployment): string {
  if (state === "Failed") return "No replica is up: each ended while it was starting. Logs has what the last one printed.";
  return wanted === 0 ? "No replica is up: the next request starts one, and waits for it." : "No replica yet.";
}

function Replicas({ deployment }: { deployment: Deployment }) {
  if (deployment.replicas_now.length === 0) {
    return <p className="note">{absence(deployment)}</p>;
  }
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={`Replicas of ${deployment.name}`}>
      <table>
        <thead>
          <tr>
            <th>Replica</th>
            <th>State</th>
            <th>Node</th>
            <th>Up since</th>
            <th>Version</th>
            <th className="number">Under way</th>
            <th className="number">Answered</th>
            <th>
              <span className="visually-hidden">Logs</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deployment.replicas_now.map((replica) => {
            const load = replica.load ?? {};
            return (
              <tr key={replica.run}>
                <td>
                  <Link href={runPath(replica.run)} className="endpoint-run">
                    {replica.run}
                  </Link>
                </td>
                <td>
                  <ReplicaStatus state={replica.state} />
                  {replica.message && <div className="note endpoint-message">{replica.message}</div>}
                </td>
                <td>{replica.node ?? "–"}</td>
                <td>
                  <Time at={replica.ready_at} />
                </td>
                <td className="endpoint-version">{replica.version}</td>
                <td className="number">
                  {load.in_flight ?? "–"}
                  {(load.queued ?? 0) > 0 && <span className="note"> +{load.queued} wait</span>}
                </td>
                <td className="number">{load.requests?.toLocaleString("en-US") ?? "–"}</td>
                <td>
                  <Link href={runPath(replica.run, "logs")} aria-label={`Logs of ${replica.run}`}>
                    Logs
                  </Link>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** What gets no traffic can go. */
function DeploymentActions({ endpoint, deployment, onEndpoint }: { endpoint: Endpoint; deployment: Deployment; onEndpoint: OnEndpoint }) {
  const [box, setBox] = useState<"restart" | "remove">();
  const { workspace, name } = endpoint;
  const idle = endpoint.deployments.length > 1 && !endpoint.traffic[deployment.name];
  const close = () => setBox(undefined);
  return (
    <span className="row spring">
      <Button small onClick={() => setBox("restart")} aria-label={`Restart ${deployment.name}`}>
        Restart …
      </Button>
      {idle && (
        <Button small kind="danger" onClick={() => setBox("remove")} aria-label={`Remove ${deployment.name}`}>
          Remove …
        </Button>
      )}
      {box === "restart" && (
        <FormDialog title={`Restart ${deployment.name}`} action="Restart" act={() => restart(workspace, name, deployment.name).then(onEndpoint)} onClose={close}>
          <p>Its replicas are replaced by new ones. A replica goes only once its successor is ready, so no request fails.</p>
        </FormDialog>
      )}
      {box === "remove" && (
        <FormDialog title={`Remove ${deployment.name}`} action="Remove" kind="danger" act={() => deleteDeployment(workspace, name, deployment.name).then(onEndpoint)} onClose={close}>
          <p>It gets no traffic now. Its replicas end; the model stays, and rolling back brings the deployment back.</p>
        </FormDialog>
      )}
    </span>
  );
}

function One({ endpoint, deployment, names, numbers, onEndpoint }: { endpoint: Endpoint; deployment: Deployment; names: readonly string[]; numbers: DeploymentStatistics | undefined; onEndpoint: OnEndpoint }) {
  const may = useMay("contributor");
  const { workspace } = endpoint;
  const { models, code } = deployment;
  return (
    <article className="card endpoint-deployment" aria-label={`Deployment ${deployment.name}`}>
      <div className="row">
        <span className="endpoint-dot" style={{ background: `var(${colorOf(names, deployment.name)})` }} aria-hidden="true" />
        <h3>{deployment.name}</h3>
        <EndpointStatus state={deployment.state} />
        <span className="note">
          {deployment.ready} of {deployment.wanted} ready
        </span>
        {may && <DeploymentActions endpoint={endpoint} deployment={deployment} onEndpoint={onEndpoint} />}
      </div>
      <dl className="facts">
        <dt>{models.length === 1 ? "Model" : "Models"}</dt>
        <dd>
          {models.length === 0 && "none"}
          {models.map((model, i) => (
            <span key={model.id}>
              {i > 0 && ", "}
              <Link href={`${workspacePath(workspace, `models/${segment(model.name)}`)}?version=${model.version}`}>{model.id}</Link>
            </span>
          ))}
        </dd>
        <dt>Served by</dt>
        <dd>
          {deployment.runtime === "onnx" ? "ONNX Runtime" : deployment.runtime === "sklearn" ? "scikit-learn, without code" : "Python"}
          {code && (
            <>
              , <code>{code.entry_script}</code> in {deployment.workers} {deployment.workers === 1 ? "worker" : "workers"}
            </>
          )}
          {deployment.runtime === "onnx" && deployment.batching.max_batch > 1 && `, batches of up to ${deployment.batching.max_batch}`}
        </dd>
        <dt>Replicas</dt>
        <dd>
          {replicasText(deployment)}
          {deployment.restarts > 0 && <span className="endpoints-bad">; restarted {deployment.restarts} {deployment.restarts === 1 ? "time" : "times"}</span>}
        </dd>
        {numbers && (
          <>
            <dt>Answered</dt>
            <dd>
              {numbers.requests === 0 ? "no request yet" : `${numbers.requests.toLocaleString("en-US")} requests, ${rate(numbers.requests_per_second)}/s, p50 ${milliseconds(numbers.p50_ms)}, p99 ${milliseconds(numbers.p99_ms)}, errors ${errorsText(numbers)}`}
            </dd>
            {numbers.shadow_requests > 0 && (
              <>
                <dt>In the shadow</dt>
                <dd>{numbers.shadow_requests.toLocaleString("en-US")} copies of requests, errors {errorsText({ requests: numbers.shadow_requests, errors: numbers.shadow_errors })}</dd>
              </>
            )}
            {Object.keys(numbers.by_status ?? {}).some((status) => status !== "200") && (
              <>
                <dt>By status</dt>
                <dd>
                  {Object.entries(numbers.by_status)
                    .map(([status, many]) => `${status}: ${many.toLocaleString("en-US")}`)
                    .join(", ")}
                </dd>
              </>
            )}
          </>
        )}
      </dl>
      <Replicas deployment={deployment} />
    </article>
  );
}

export function Deployments({ endpoint, names, statistics, onEndpoint }: { endpoint: Endpoint; names: readonly string[]; statistics: Statistics | undefined; onEndpoint: OnEndpoint }) {
  return (
    <section className="endpoint-section">
      <h2>Deployments</h2>
      {endpoint.deployments.length === 0 && <p className="note">None: nothing answers yet.</p>}
      {endpoint.deployments.map((deployment) => (
        <One key={deployment.name} endpoint={endpoint} deployment={deployment} names={names} numbers={statistics?.deployments.find((one) => one.name === deployment.name)} onEndpoint={onEndpoint} />
      ))}
    </section>
  );
}
