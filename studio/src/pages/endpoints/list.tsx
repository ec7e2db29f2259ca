// The endpoints of a workspace.
import { useEffect } from "react";
import { endpointPath, getStatistics, listEndpoints, type Endpoint } from "../../lib/endpoint";
import { useResource } from "../../lib/resource";
import { useSearch, workspacePath } from "../../lib/route";
import { Empty, Link, Loading, Problem, Time } from "../../ui/base";
import { errorsText, milliseconds, rate, totalsOf } from "./facts";
import { EndpointStatus } from "./status";
import { ShareBar } from "./share_bar";
import { sharesText } from "./traffic";

const EVERY = 3000;

function Row({ endpoint }: { endpoint: Endpoint }) {
  const { workspace, name } = endpoint;
  const statistics = useResource(`endpoint-statistics/${workspace}/${name}`, () => getStatistics(workspace, name));
  useEvery(statistics.reload, EVERY);
  const totals = statistics.data && totalsOf(statistics.data);
  const names = endpoint.deployments.map((one) => one.name);
  return (
    <tr>
      <td>
        <Link href={endpointPath(workspace, name)}>{name}</Link>
        {endpoint.description && <div className="note endpoints-short">{endpoint.description}</div>}
      </td>
      <td>
        <EndpointStatus state={endpoint.state} />
        {endpoint.error && <div className="note endpoints-short" title={endpoint.error.message}>{endpoint.error.message}</div>}
      </td>
      <td>
        {endpoint.deployments.map((one) => (
          <div key={one.name} className="endpoints-deployed">
            {one.name}{" "}
            <span className="note">
              {one.models.map((model) => model.id).join(", ") || one.code?.entry_script}, {one.ready} of {one.wanted} ready
            </span>
          </div>
        ))}
        {endpoint.deployments.length === 0 && "–"}
      </td>
      <td className="endpoints-traffic-cell">
        <ShareBar names={names} shares={endpoint.traffic} label={`Traffic: ${sharesText(endpoint.traffic)}`} />
        <span className="note">{sharesText(endpoint.traffic)}</span>
      </td>
      <td className="number">{totals ? rate(totals.requestsPerSecond) : "–"}</td>
      <td className="number">{milliseconds(totals?.p99)}</td>
      <td className={`number ${totals && totals.errors > 0 ? "endpoints-bad" : ""}`}>{totals ? errorsText(totals) : "–"}</td>
      <td>
        <Time at={endpoint.updated_at} />
      </td>
    </tr>
  );
}

/** Asks again and again while the page is looked at, and when one comes back to it. */
export function useEvery(reload: () => void, milliseconds: number): void {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && reload();
    const timer = setInterval(look, milliseconds);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [reload, milliseconds]);
}

export function EndpointList({ workspace }: { workspace: string }) {
  const [search, change] = useSearch();
  const list = useResource(`endpoints/${workspace}`, () => listEndpoints(workspace));
  useEvery(list.reload, EVERY);
  const endpoints = list.data?.endpoints ?? [];
  const find = search.get("q") ?? "";
  const shown = endpoints.filter((one) => `${one.name} ${one.description} ${one.state} ${one.deployments.flatMap(({ models }) => models.map(({ id }) => id)).join(" ")}`.toLowerCase().includes(find.toLowerCase()));
  return (
    <>
      <div className="head">
        <h1>Endpoints</h1>
        {endpoints.length > 0 && (
          <label>
            <span className="visually-hidden">Find endpoints</span>
            <input type="search" placeholder="Find by name, state or model" value={find} onChange={(event) => change({ q: event.target.value })} />
          </label>
        )}
      </div>
      {list.error && <Problem error={list.error} retry={list.reload} />}
      {list.loading && <Loading what="the endpoints" />}
      {list.data && endpoints.length === 0 && (
        <Empty title="No endpoints yet">
          <p>An endpoint answers requests with a model that is registered. One with an .onnx file needs no code:</p>
          <pre>{`roost model export bird-net --to onnx --input 2x3x224x224\nroost deploy bird-net:2 --as birds`}</pre>
          <p>
            The page of such a <Link href={workspacePath(workspace, "models")}>model</Link> has a button for it, too. With a score.py of yours, in Python:
          </p>
          <pre>{`service = Model.deploy(ws, "birds", [model], InferenceConfig(entry_script="score.py", environment=env))\nservice.wait_for_deployment(show_output=True)`}</pre>
        </Empty>
      )}
      {endpoints.length > 0 && shown.length === 0 && <p className="note">No endpoint fits.</p>}
      {shown.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Endpoints">
          <table>
            <thead>
              <tr>
                <th>Endpoint</th>
                <th>State</th>
                <th>Deployments</th>
                <th>Traffic</th>
                <th className="number">Requests/s</th>
                <th className="number">p99</th>
                <th className="number">Errors</th>
                <th>Changed</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((endpoint) => (
                <Row key={endpoint.name} endpoint={endpoint} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
