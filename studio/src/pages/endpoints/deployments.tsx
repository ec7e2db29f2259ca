// The deployments of an endpoint, each with its models and replicas.
import type { Deployment, DeploymentStatistics, Endpoint, Statistics } from "../../lib/endpoint";
import { segment } from "../../lib/api";
import { runPath, workspacePath } from "../../lib/route";
import { Link, Time } from "../../ui/base";
import { colorOf, errorsText, milliseconds, rate } from "./facts";
import { EndpointStatus, ReplicaStatus } from "./status";

function replicasText({ replicas: { min, max, target_utilization, idle_seconds } }: Deployment): string {
  if (min === max) return `${min}, fixed`;
  return `${min} to ${max}, aims at ${target_utilization} % busy${min === 0 ? `, none after ${idle_seconds} s without requests` : ""}`;
}

function Replicas({ deployment }: { deployment: Deployment }) {
  if (deployment.replicas_now.length === 0) {
    return <p className="note">{deployment.wanted === 0 ? "No replica is up: the next request starts one, and waits for it." : "No replica yet."}</p>;
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
            <th className="number">Restarts</th>
            <th className="number">Under way</th>
            <th className="number">Answered</th>
            <th>
              <span className="visually-hidden">Logs</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deployment.replicas_now.map((replica) => (
            <tr key={replica.run}>
              <td>
                <Link href={runPath(replica.run)} className="endpoint-run">
                  {replica.run}
                </Link>
              </td>
              <td>
                <ReplicaStatus state={replica.state} />
              </td>
              <td>{replica.node ?? "–"}</td>
              <td>
                <Time at={replica.started_at} />
              </td>
              <td className={`number ${replica.restarts > 0 ? "endpoints-bad" : ""}`}>{replica.restarts}</td>
              <td className="number">
                {replica.load?.in_flight ?? "–"}
                {(replica.load?.queued ?? 0) > 0 && <span className="note"> +{replica.load.queued} wait</span>}
              </td>
              <td className="number">{replica.load?.requests?.toLocaleString("en-US") ?? "–"}</td>
              <td>
                <Link href={runPath(replica.run, "logs")} aria-label={`Logs of ${replica.run}`}>
                  Logs
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function One({ workspace, deployment, names, numbers }: { workspace: string; deployment: Deployment; names: readonly string[]; numbers: DeploymentStatistics | undefined }) {
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
          {deployment.runtime === "onnx" && deployment.batching && deployment.batching.max_batch > 1 && `, batches of up to ${deployment.batching.max_batch}`}
        </dd>
        <dt>Replicas</dt>
        <dd>{replicasText(deployment)}</dd>
        {numbers && (
          <>
            <dt>Answered</dt>
            <dd>
              {numbers.requests.toLocaleString("en-US")} requests, {rate(numbers.requests_per_second)}/s, p50 {milliseconds(numbers.p50_ms)}, p99 {milliseconds(numbers.p99_ms)}, errors {errorsText(numbers)}
            </dd>
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

export function Deployments({ endpoint, names, statistics }: { endpoint: Endpoint; names: readonly string[]; statistics: Statistics | undefined }) {
  return (
    <section className="endpoint-section">
      <h2>Deployments</h2>
      {endpoint.deployments.length === 0 && <p className="note">None: nothing answers yet.</p>}
      {endpoint.deployments.map((deployment) => (
        <One key={deployment.name} workspace={endpoint.workspace} deployment={deployment} names={names} numbers={statistics?.deployments.find((one) => one.name === deployment.name)} />
      ))}
    </section>
  );
}
