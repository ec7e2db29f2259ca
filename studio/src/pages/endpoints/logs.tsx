// What a replica of an endpoint prints, followed while it is looked at.
import { useEffect, useRef, useState } from "react";
import { getEndpointLogs, type Endpoint } from "../../lib/endpoint";
import { useResource } from "../../lib/resource";
import { runPath, useSearch } from "../../lib/route";
import { Link, Loading, Problem } from "../../ui/base";
import { AnsiText } from "../../ui/ansi";
import { useEvery } from "./list";

const EVERY = 1500;
const SELDOM = 600_000;
const LINES = ["200", "1000", "5000"];

export function LogsTab({ endpoint }: { endpoint: Endpoint }) {
  const [search, change] = useSearch();
  const [follow, setFollow] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const { workspace, name, deployments } = endpoint;
  const deployment = search.get("deployment") ?? "";
  const replica = search.get("replica") ?? "";
  const lines = LINES.find((one) => one === search.get("lines")) ?? "1000";
  const logs = useResource(`endpoint-logs/${workspace}/${name}/${deployment}/${replica}/${lines}`, () => getEndpointLogs(workspace, name, { deployment, replica, lines: Number(lines) }));
  useEvery(logs.reload, follow ? EVERY : SELDOM);
  const text = logs.data?.text;
  // While it is followed its end is in sight.
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, follow]);
  const replicas = deployments.filter((one) => !deployment || one.name === deployment).flatMap((one) => one.replicas_now);
  return (
    <section aria-label="Logs" className="endpoint-logs">
      <div className="row">
        <label>
          Deployment{" "}
          <select value={deployment} onChange={(event) => change({ deployment: event.target.value, replica: null })}>
            <option value="">any</option>
            {deployments.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        <label>
          Replica{" "}
          <select value={replica} onChange={(event) => change({ replica: event.target.value })}>
            <option value="">one that works</option>
            {(replica && !replicas.some((one) => one.run === replica) ? [{ run: replica }, ...replicas] : replicas).map((one) => (
              <option key={one.run}>{one.run}</option>
            ))}
          </select>
        </label>
        <label>
          Lines{" "}
          <select value={lines} onChange={(event) => change({ lines: event.target.value })}>
            {LINES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.target.checked)} /> Follow
        </label>
        {logs.data?.replica && <Link href={runPath(logs.data.replica, "logs")}>All of {logs.data.replica}</Link>}
      </div>
      {logs.error && <Problem error={logs.error} retry={logs.reload} />}
      {logs.loading && <Loading what="the logs" />}
      {text === "" && <p className="note">Nothing was printed yet.</p>}
      {text && (
        <div className="endpoint-log" ref={box} tabIndex={0} role="region" aria-label="Log of the replica" onWheel={(event) => event.deltaY < 0 && setFollow(false)}>
          <AnsiText text={text.replace(/\n$/, "")} />
        </div>
      )}
    </section>
  );
}
