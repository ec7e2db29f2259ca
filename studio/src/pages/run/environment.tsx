// The environment that a run ran in, as it was resolved, and what differs from another run's.
import { useState } from "react";
import type { Run } from "../../lib/api";
import { count } from "../../lib/format";
import { workspacePath } from "../../lib/route";
import { Against, useAgainst } from "../../ui/against";
import { Copy, Empty, Link, Loading } from "../../ui/base";
import { Diff } from "../../ui/diff";
import { environmentText } from "../compare/environment_lines";
import { BuildCard } from "./environment/build";
import { askedOf, kindText, resolvedOf } from "./environment/resolved";
import "./environment/environment.css";

export default function EnvironmentTab({ run }: { run: Run; rest: string[] }) {
  const { id, other } = useAgainst();
  if (!run.environment || Object.keys(run.environment).length === 0) {
    return (
      <Empty title="This run has no environment">
        <p>It was started by hand, or is not prepared yet. To choose one:</p>
        <pre>roost submit --experiment {run.experiment} --environment roost-pytorch -- python train.py</pre>
      </Empty>
    );
  }
  return (
    <section aria-label="Environment">
      <div className="head">
        <span className="spring" />
        <Against run={run} tab="environment" id={id} other={other} />
      </div>
      {!id ? <Facts run={run} /> : other.data ? <Difference run={run} other={other.data} /> : !other.error && <Loading what="the other environment" />}
    </section>
  );
}

function Difference({ run, other }: { run: Run; other: Run }) {
  const [before, after] = [environmentText(other), environmentText(run)];
  if (before === after) {
    return (
      <Empty title="The environments are the same">
        <p>Same interpreter, same packages, same variables.</p>
      </Empty>
    );
  }
  return <Diff before={before} after={after} name="environment" />;
}

function Facts({ run }: { run: Run }) {
  const environment = resolvedOf(run);
  const asked = askedOf(environment.definition);
  const variables = { ...environment.variables, ...run.spec.environment_variables };
  return (
    <div className="env-cards">
      <section className="card" aria-label="What it is">
        <h2>Environment</h2>
        <dl className="facts">
          {environment.name && (
            <>
              <dt>Name</dt>
              <dd>
                <Link href={`${workspacePath(run.workspace, "environments")}/${encodeURIComponent(environment.name)}`}>
                  <bdi>{environment.name}</bdi>
                </Link>
                {environment.version ? `, version ${environment.version}` : ""}
              </dd>
            </>
          )}
          <dt>Kind</dt>
          <dd>
            {kindText(environment.kind)}
            {environment.reason ? `, because ${environment.reason}` : ""}
          </dd>
          {environment.python && (
            <>
              <dt>Python</dt>
              <dd>
                <Copy text={environment.python} />
              </dd>
            </>
          )}
          <dt>Isolated</dt>
          <dd>{environment.isolated ? "Yes, in the files of its image" : "No, it sees the files of its node"}</dd>
          {environment.pins && (
            <>
              <dt>Pins</dt>
              <dd>{environment.pins}</dd>
            </>
          )}
          {asked.image && (
            <>
              <dt>Base image</dt>
              <dd>
                <Copy text={asked.image} />
              </dd>
            </>
          )}
          {environment.limits && (
            <>
              <dt>Limits</dt>
              <dd>{Object.entries(environment.limits).map(([name, value]) => `${name} ${String(value)}`).join(", ")}</dd>
            </>
          )}
        </dl>
        {environment.changes && environment.changes.length > 0 && (
          <>
            <h3>Moved pins</h3>
            <ul className="env-list">
              {environment.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          </>
        )}
      </section>
      {(asked.python || asked.conda.length + asked.pip.length > 0) && (
        <section className="card" aria-label="Asked for">
          <h2>Asked for</h2>
          <Packages title={asked.channels.length > 0 ? `Conda (${asked.channels.join(", ")})` : "Conda"} names={[...(asked.python ? [asked.python] : []), ...asked.conda]} />
          <Packages title="Pip" names={asked.pip} />
        </section>
      )}
      {environment.lock && environment.lock.length > 0 && <Lock lock={environment.lock} />}
      <section className="card" aria-label="Variables">
        <h2>Variables</h2>
        {Object.keys(variables).length === 0 ? (
          <p className="note">None are set. In Python: environment.environment_variables["NAME"] = "value"</p>
        ) : (
          <dl className="facts mono">
            {Object.entries(variables).map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
          </dl>
        )}
      </section>
      {asked.dockerfile && (
        <section className="card env-wide" aria-label="Dockerfile">
          <h2>Dockerfile</h2>
          <pre className="env-pre">{asked.dockerfile}</pre>
        </section>
      )}
      {environment.digest && (
        <div className="env-wide">
          <BuildCard digest={environment.digest} />
        </div>
      )}
    </div>
  );
}

function Packages({ title, names }: { title: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="env-list mono">
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </>
  );
}

function Lock({ lock }: { lock: string[] }) {
  const [filter, setFilter] = useState("");
  const shown = lock.filter((line) => line.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <section className="card" aria-label="Lock">
      <div className="row">
        <h2>Lock</h2>
        <span className="note">
          {count(lock.length)} exact {lock.length === 1 ? "version" : "versions"}
        </span>
        <Copy text={lock.join("\n")}>
          <span className="env-copy">Copy all</span>
        </Copy>
      </div>
      {lock.length > 12 && <input type="search" aria-label="Filter the lock" placeholder="Filter" value={filter} onChange={(event) => setFilter(event.target.value)} />}
      <ul className="env-list mono env-lock" tabIndex={0} aria-label="Exact versions">
        {shown.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {shown.length === 0 && <li className="note">No package is named so.</li>}
      </ul>
    </section>
  );
}
