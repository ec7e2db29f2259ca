// All environments of a workspace, and what is built of them on this machine.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { useFresh, useResource } from "../../lib/resource";
import { useSearch, workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Empty, Link, Loading, Problem, Time } from "../../ui/base";
import { BuildPanel } from "./build_panel";
import { Builds } from "./builds";
import { CreateEnvironment } from "./create";
import { summaryOf, type Definition } from "./definition";

type Version = Schemas["EnvironmentVersion"];

function Table({ workspace, items, label }: { workspace: string; items: Version[]; label: string }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th>Environment</th>
            <th className="number">Version</th>
            <th>Made of</th>
            <th>Registered</th>
          </tr>
        </thead>
        <tbody>
          {items.map((one) => (
            <tr key={one.name}>
              <td>
                <Link href={workspacePath(workspace, `environments/${segment(one.name)}`)}>{one.name}</Link>
                {one.alias_of && <div className="note">stands for {one.alias_of}</div>}
              </td>
              <td className="number">{one.version}</td>
              <td>{summaryOf(one.definition as Definition)}</td>
              <td>{one.created_at ? <Time at={one.created_at} /> : <span className="note">with the server</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const SDK = `env = Environment.from_conda_specification("birds-env", "conda.yml")
env.register(ws)`;

export function EnvironmentList({ workspace }: { workspace: string }) {
  const [search, change] = useSearch();
  const may = useMay("contributor");
  const [asking, setAsking] = useState(false);
  const [digest, setDigest] = useState("");
  const list = useResource<Schemas["EnvironmentList"]>(`environments/${workspace}`, () => api.get(`/workspaces/${segment(workspace)}/environments`));
  useFresh(list.reload);
  const find = (search.get("q") ?? "").toLowerCase();
  const items = (list.data?.items ?? []).filter((one) => `${one.name} ${summaryOf(one.definition as Definition)}`.toLowerCase().includes(find));
  const [registered, curated] = [items.filter((one) => !one.curated), items.filter((one) => one.curated)];
  return (
    <>
      <div className="head">
        <h1>Environments</h1>
        <label>
          <span className="visually-hidden">Find environments</span>
          <input type="search" placeholder="Find by name or package" value={search.get("q") ?? ""} onChange={(event) => change({ q: event.target.value })} />
        </label>
        {may && <Button onClick={() => setAsking(true)}>New environment</Button>}
      </div>
      {asking && (
        <CreateEnvironment
          workspace={workspace}
          onClose={() => {
            setAsking(false);
            list.reload();
          }}
          onBuild={setDigest}
        />
      )}
      {digest && <BuildPanel digest={digest} onClose={() => setDigest("")} />}
      {list.error && <Problem error={list.error} retry={list.reload} />}
      {list.loading && <Loading what="the environments" />}
      {list.data && registered.length === 0 && find === "" && (
        <Empty title="No environment is registered yet">
          <p>A run may name one that comes with the server, or one of your own:</p>
          <pre>{SDK}</pre>
        </Empty>
      )}
      {list.data && items.length === 0 && find !== "" && <p className="note">No environment fits.</p>}
      {registered.length > 0 && (
        <section className="environments-section">
          <h2>Registered</h2>
          <Table workspace={workspace} items={registered} label="Registered environments" />
        </section>
      )}
      {curated.length > 0 && (
        <section className="environments-section">
          <h2>Curated</h2>
          <Table workspace={workspace} items={curated} label="Curated environments" />
        </section>
      )}
      <section className="environments-section">
        <h2>Builds on this machine</h2>
        <Builds />
      </section>
    </>
  );
}
