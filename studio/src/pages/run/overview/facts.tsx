// Where a run ran, with what, and from which code.
import type { ReactNode } from "react";
import type { Run } from "../../../lib/api";
import { duration } from "../../../lib/format";
import { runPath, workspacePath } from "../../../lib/route";
import { Copy, Link } from "../../../ui/base";
import { argumentsOf, commandWords } from "./params";
import { askedFor, hasForItself } from "./resources";

function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function environmentName(run: Run): string {
  const asked = run.spec.environment;
  const resolved = run.environment as { name?: string; version?: string | number; python?: string; kind?: string } | null;
  const name = asked?.name ?? resolved?.name;
  const version = asked?.version ?? resolved?.version;
  if (name) return version ? `${name}:${version}` : name;
  return resolved?.python ?? asked?.python ?? resolved?.kind ?? "–";
}

function layout(run: Run): string | null {
  const how = run.spec.distributed;
  if (!how) return null;
  const processes = how.process_count || (how.process_count_per_node ?? 0) * (how.node_count ?? 1);
  const parts = [how.kind, processes > 0 && `${processes} processes`, how.worker_count && `${how.worker_count} workers`, how.parameter_server_count && `${how.parameter_server_count} parameter servers`];
  return parts.filter(Boolean).join(", ");
}

export function Facts({ run }: { run: Run }) {
  const { spec, git } = run;
  const nodes = run.nodes ?? (run.node ? [run.node] : []);
  const commit = git?.commit;
  const has = hasForItself(run);
  return (
    <section className="card" aria-labelledby="facts-title">
      <h2 id="facts-title">Facts</h2>
      <dl className="facts">
        <Fact name="Environment">
          <Link href={runPath(run.id, "environment")}>{environmentName(run)}</Link>
        </Fact>
        <Fact name="Compute">{run.compute && <Link href={workspacePath(run.workspace, `computes/${encodeURIComponent(run.compute)}`)}>{run.compute}</Link>}</Fact>
        <Fact name="Distributed">{layout(run) && <Link href={runPath(run.id, "ranks")}>{layout(run)}</Link>}</Fact>
        <Fact name={nodes.length === 1 ? "Node" : "Nodes"}>
          {nodes.length > 0 ? nodes.join(", ") : (spec.node_count ?? 1) > 1 && `${spec.node_count} wanted`}
        </Fact>
        <Fact name="Asks for">{askedFor(run)}</Fact>
        <Fact name="Has for itself">
          {has.length > 0 && has.map((lease) => (
            <span className="facts-lease" key={lease.node} title={lease.limited}>
              {nodes.length > 1 && `${lease.node}: `}
              {lease.text}
              {lease.gpus.length > 0 && <small> {lease.gpus.join(", ")}</small>}
            </span>
          ))}
        </Fact>
        <Fact name="Priority">{run.priority !== 0 && String(run.priority)}</Fact>
        <Fact name="Time limit">{spec.max_run_duration_seconds && duration(spec.max_run_duration_seconds)}</Fact>
        <Fact name="Retries">{run.max_retries > 0 && `attempt ${run.attempt} of at most ${run.max_retries + 1}`}</Fact>
        <Fact name="Parent">{run.parent && <Link href={runPath(run.parent)}>{run.parent}</Link>}</Fact>
        <Fact name="Rerun of">
          {run.properties["roost.rerun_of"] && <Link href={runPath(run.properties["roost.rerun_of"])}>{run.properties["roost.rerun_of"]}</Link>}
        </Fact>
        <Fact name="Snapshot">
          {run.snapshot && (
            <Link href={runPath(run.id, "code")} title={run.snapshot}>
              <code>{run.snapshot.slice(0, 12)}</code>
            </Link>
          )}
        </Fact>
        <Fact name="Git">
          {git && (commit || git.branch) && (
            <>
              {commit && (
                <Copy text={commit}>
                  <code>{commit.slice(0, 10)}</code>
                </Copy>
              )}{" "}
              {git.branch && `on ${git.branch}`} {git.dirty && <span className="tag">with changes not committed</span>}
            </>
          )}
        </Fact>
        <Fact name="Repository">{git?.repository_uri}</Fact>
        <Fact name="Type">{run.type}</Fact>
        <Fact name="Created by">{run.created_by}</Fact>
      </dl>
    </section>
  );
}

/** What was run, with its settings as a table. */
export function Code({ run }: { run: Run }) {
  const { script, command, arguments: words = [], environment_variables: variables = {}, inputs = [] } = run.spec;
  const settings = argumentsOf(command ? commandWords(command) : words);
  const named = Object.entries(variables);
  if (!script && !command) return null;
  return (
    <section className="card" aria-labelledby="code-title">
      <h2 id="code-title">Script</h2>
      <pre className="overview-command" tabIndex={0} aria-label="Command">
        {command ?? [script, ...words.map((word) => (/[\s"'$]/.test(word) ? JSON.stringify(word) : word))].join(" ")}
      </pre>
      {settings.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Arguments">
          <table>
            <thead>
              <tr>
                <th scope="col">Argument</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {settings.map(({ name, value }, i) => (
                <tr key={i}>
                  <td>{name ? <code>{name}</code> : <span className="note">position {i + 1}</span>}</td>
                  <td className="overview-value">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {inputs.length > 0 && (
        <dl className="facts">
          {inputs.map((input) => (
            <Fact key={input.name} name={`Input ${input.name}`}>
              <code title={input.content}>{input.content.slice(0, 12)}</code> {input.mode ?? "download"} {input.path}
            </Fact>
          ))}
        </dl>
      )}
      {named.length > 0 && (
        <details>
          <summary>Environment variables ({named.length})</summary>
          <dl className="facts">
            {named.map(([name, value]) => (
              <Fact key={name} name={name}>
                <code>{value}</code>
              </Fact>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

export function Properties({ run }: { run: Run }) {
  const entries = Object.entries(run.properties);
  if (entries.length === 0) return null;
  return (
    <section className="card" aria-labelledby="properties-title">
      <details>
        <summary>
          <h2 id="properties-title">Properties</h2> <span className="note">{entries.length}</span>
        </summary>
        <dl className="overview-properties">
          {entries.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value || "–"}
            </Fact>
          ))}
        </dl>
      </details>
    </section>
  );
}
