// One environment: its versions, what they are made of, and building it.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { useFresh, useResource } from "../../lib/resource";
import { useSearch, workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Copy, Empty, Link, Loading, Problem, Time } from "../../ui/base";
import { Code } from "../../ui/code";
import { Diff } from "../../ui/diff";
import { attempt, notify } from "../../ui/notify";
import { BuildPanel } from "./build_panel";
import { definitionText, packagesOf, type Definition } from "./definition";

type Version = Schemas["EnvironmentVersion"];

function Facts({ environment }: { environment: Version }) {
  const definition = environment.definition as Definition;
  const { python, conda, pip, channels } = packagesOf(definition);
  const variables = Object.entries(definition.environmentVariables ?? {});
  const list = (names: string[]) => (
    <span className="row">
      {names.map((one) => (
        <span key={one} className="tag" title={one}>
          {one}
        </span>
      ))}
    </span>
  );
  return (
    <dl className="facts">
      <dt>Kind</dt>
      <dd>{environment.curated ? (environment.alias_of ? `curated, stands for ${environment.alias_of}` : "curated") : "registered"}</dd>
      {definition.docker?.baseImage && (
        <>
          <dt>Image</dt>
          <dd>{definition.docker.baseImage}</dd>
        </>
      )}
      <dt>Python</dt>
      <dd>{definition.python?.userManagedDependencies ? `${definition.python.interpreterPath ?? "python"} as it is` : (python ?? "any")}</dd>
      {conda.length > 0 && (
        <>
          <dt>conda</dt>
          <dd>{list(conda)}</dd>
        </>
      )}
      {pip.length > 0 && (
        <>
          <dt>pip</dt>
          <dd>{list(pip)}</dd>
        </>
      )}
      {channels.length > 0 && (
        <>
          <dt>Channels</dt>
          <dd>{channels.join(", ")}</dd>
        </>
      )}
      {variables.length > 0 && (
        <>
          <dt>Variables</dt>
          <dd>{list(variables.map(([key, value]) => `${key}=${value}`))}</dd>
        </>
      )}
      <dt>Registered</dt>
      <dd>{environment.created_at ? <Time at={environment.created_at} /> : "comes with the server"}</dd>
      <dt>To use it</dt>
      <dd>
        <Copy text={`roost submit --environment ${environment.name}:${environment.version} …`} />
      </dd>
    </dl>
  );
}

export function OneEnvironment({ workspace, name }: { workspace: string; name: string }) {
  const may = useMay("contributor");
  const [search, change] = useSearch();
  const [strict, setStrict] = useState(false);
  const path = `/workspaces/${segment(workspace)}/environments`;
  const versions = useResource<Schemas["EnvironmentList"]>(`environment/${workspace}/${name}`, () => api.get(path, { name }));
  useFresh(versions.reload);
  const items = [...(versions.data?.items ?? [])].sort((a, b) => Number(b.version) - Number(a.version));
  const asked = search.get("version");
  const environment = asked ? items.find((one) => one.version === asked) : items[0];
  const against = items.find((one) => one.version === search.get("against"));
  const build = search.get("build");
  const start = async () => {
    const made = api.post<Schemas["EnvironmentBuild"]>(`${path}/${segment(name)}/build?version=${environment!.version}`, strict ? { pins: "strict" } : {});
    if (!(await attempt(made))) return;
    const { status, digest, message } = await made;
    if (status === "nothing_to_build") notify(message || "There is nothing to build: its Python is used as it is.");
    else change({ build: digest });
  };
  const list = (
    <p className="note">
      <Link href={workspacePath(workspace, "environments")}>Environments</Link> /
    </p>
  );
  if (!environment) {
    return (
      <>
        {list}
        {versions.error ? (
          <Problem error={versions.error} retry={versions.reload} />
        ) : versions.loading ? (
          <Loading what={name} />
        ) : (
          <Empty title={items.length > 0 ? `${name} has no version ${asked}` : `There is no environment ${name}`} />
        )}
      </>
    );
  }
  return (
    <>
      {list}
      <div className="head">
        <h1>{environment.name}</h1>
        <label>
          Version{" "}
          <select value={environment.version} onChange={(event) => change({ version: event.target.value, build: null }, false)}>
            {items.map((one, i) => (
              <option key={one.version} value={one.version}>
                {one.version}
                {i === 0 && items.length > 1 ? " (newest)" : ""}
              </option>
            ))}
          </select>
        </label>
        {may && (
          <span className="spring row">
            <label title="Fail where a version that is named cannot be had, in place of taking the nearest">
              <input type="checkbox" checked={strict} onChange={(event) => setStrict(event.target.checked)} /> strict versions
            </label>
            <Button kind="main" onClick={() => void start()}>
              Build now
            </Button>
          </span>
        )}
      </div>
      {environment.notice && <p className="note environments-notice">{environment.notice}</p>}
      {build && /^[0-9a-f]{64}$/.test(build) && <BuildPanel key={build} digest={build} onClose={() => change({ build: null })} />}
      <div className="environments-page">
        <section className="card" aria-label="Facts">
          <Facts environment={environment} />
        </section>
        <section aria-labelledby="definition-title" className="environments-definition">
          <div className="row">
            <h2 id="definition-title">Definition</h2>
            {items.length > 1 && (
              <label>
                compared with{" "}
                <select value={against?.version ?? ""} onChange={(event) => change({ against: event.target.value })}>
                  <option value="">nothing</option>
                  {items
                    .filter((one) => one.version !== environment.version)
                    .map((one) => (
                      <option key={one.version} value={one.version}>
                        version {one.version}
                      </option>
                    ))}
                </select>
              </label>
            )}
          </div>
          {against ? (
            <Diff before={definitionText(against.definition)} after={definitionText(environment.definition)} name={`version ${against.version} to ${environment.version}`} />
          ) : (
            <Code text={definitionText(environment.definition)} name="definition.json" />
          )}
        </section>
      </div>
    </>
  );
}
