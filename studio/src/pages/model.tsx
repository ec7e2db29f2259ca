// One model: a version of it, all versions, where it came from.
import { useState } from "react";
import { api, segment, type Schemas } from "../lib/api";
import { allPages, type Listed } from "../lib/all_pages";
import { endpointPath } from "../lib/endpoint";
import { bytes, count } from "../lib/format";
import { useFresh, useResource } from "../lib/resource";
import { navigate, runPath, useSearch, workspacePath } from "../lib/route";
import { useMay } from "../lib/session";
import { Button, Copy, Empty, Link, Loading, Problem, Time } from "../ui/base";
import { FormDialog } from "../ui/form";
import { NoteCard } from "../ui/note";
import { attempt, notify } from "../ui/notify";
import { TagEditor, TagList } from "../ui/tags";
import { Properties, StageSelect, type ChangeModel } from "./models/edit";
import { DeployButton } from "./models/deploy";
import { ModelFiles } from "./models/files";
import { LineageGraph } from "./models/lineage_graph";
import { otherTags } from "./models/stage";
import { StageMark } from "./models/stage_mark";
import { Versions } from "./models/versions";
import "./models.css";

type Model = Schemas["Model"];

function environmentText(environment: Record<string, unknown> | null): string | undefined {
  const known = environment as { name?: string; version?: string; python?: string } | null;
  return known?.name ? `${known.name}${known.version ? `:${known.version}` : ""}` : known?.python;
}

function Facts({ model, may, onChange }: { model: Model; may: boolean; onChange: ChangeModel }) {
  const environment = environmentText(model.environment);
  return (
    <dl className="facts">
      <dt>Stage</dt>
      <dd>{may ? <StageSelect model={model} onChange={onChange} /> : <StageMark tags={model.tags} />}</dd>
      <dt>Description</dt>
      <dd>
        <NoteCard key={model.id} title="" text={model.description} may={may} most={4000} onSave={(description) => onChange({ description })} />
      </dd>
      <dt>Tags</dt>
      <dd>{may ? <TagEditor tags={otherTags(model.tags)} onChange={(change) => void onChange(change)} /> : <TagList tags={otherTags(model.tags)} />}</dd>
      <dt>Properties</dt>
      <dd>
        <Properties model={model} may={may} onChange={onChange} />
      </dd>
      <dt>Framework</dt>
      <dd>{model.framework ? `${model.framework} ${model.framework_version ?? ""}` : "–"}</dd>
      <dt>Content</dt>
      <dd>
        {bytes(model.size)} in {count(model.files)} {model.files === 1 ? "file" : "files"}, <Copy text={model.content}><code>{model.content.slice(0, 12)}…</code></Copy>
      </dd>
      <dt>Run</dt>
      <dd>{model.run ? <Link href={runPath(model.run)}>{model.run}</Link> : "none"}</dd>
      {model.experiment && (
        <>
          <dt>Experiment</dt>
          <dd>{model.experiment}</dd>
        </>
      )}
      {environment && (
        <>
          <dt>Environment</dt>
          <dd>{environment}</dd>
        </>
      )}
      {model.datasets.length > 0 && (
        <>
          <dt>Datasets</dt>
          <dd>{model.datasets.map((dataset) => Object.values(dataset).map(String).join(" ")).join(", ")}</dd>
        </>
      )}
      <dt>Served by</dt>
      <dd>
        {model.serves.length === 0 && "nothing"}
        {model.serves.map((one, i) => (
          <span key={`${one.workspace}/${one.endpoint}/${one.deployment}`}>
            {i > 0 && ", "}
            <Link href={endpointPath(one.workspace, one.endpoint)}>{one.endpoint}</Link> ({one.deployment})
          </span>
        ))}
      </dd>
      <dt>Registered</dt>
      <dd>
        <Time at={model.created_at} /> by {model.created_by}
      </dd>
    </dl>
  );
}

export default function ModelPage({ workspace, name }: { workspace: string; name: string }) {
  const may = useMay("contributor");
  const [search, change] = useSearch();
  const [deleting, setDeleting] = useState(false);
  const models = `/workspaces/${segment(workspace)}/models`;
  const versions = useResource<Listed<Model>>(`model/${workspace}/${name}`, () => allPages(models, { name }));
  useFresh(versions.reload);
  const items = versions.data?.items ?? [];
  const asked = search.get("version");
  const model = asked ? items.find((one) => String(one.version) === asked) : items[0];

  const list = (
    <p className="note">
      <Link href={workspacePath(workspace, "models")}>Models</Link> /
    </p>
  );
  if (!model) {
    return (
      <>
        {list}
        {versions.error ? (
          <Problem error={versions.error} retry={versions.reload} />
        ) : versions.loading ? (
          <Loading what={name} />
        ) : (
          <Empty title={items.length > 0 ? `${name} has no version ${asked}` : `There is no model ${name}`}>
            <p>{items.length > 0 ? <Link href={workspacePath(workspace, `models/${segment(name)}`)}>Show the newest version</Link> : "It may have been deleted."}</p>
          </Empty>
        )}
      </>
    );
  }
  const path = `${models}/${segment(name)}/versions/${model.version}`;
  const update: ChangeModel = async (body, done) => {
    const ok = await attempt(api.patch(path, body), done);
    if (ok) versions.reload();
    return ok;
  };
  const remove = async () => {
    await api.remove(path);
    notify(`Version ${model.version} of ${name} is deleted`);
    if (items.length === 1) navigate(workspacePath(workspace, "models"));
    else change({ version: null });
    versions.reload();
  };
  return (
    <>
      {list}
      <div className="head">
        <h1>{name}</h1>
        <label>
          Version{" "}
          <select value={model.version} onChange={(event) => change({ version: event.target.value }, false)}>
            {items.map((one, i) => (
              <option key={one.version} value={one.version}>
                {one.version}
                {i === 0 ? " (newest)" : ""}
              </option>
            ))}
          </select>
        </label>
        {may && (
          <span className="spring row">
            <DeployButton key={model.id} workspace={workspace} model={model} />
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete version {model.version}
            </Button>
          </span>
        )}
      </div>
      {versions.error && <Problem error={versions.error} retry={versions.reload} />}
      <div className="models-page">
        <section className="card" aria-label="Facts">
          <Facts model={model} may={may} onChange={update} />
        </section>
        <section className="card">
          <h2>Files</h2>
          <ModelFiles name={name} version={model.version} content={model.content} />
        </section>
      </div>
      <section className="models-section">
        <h2>Lineage</h2>
        <LineageGraph workspace={workspace} versions={items} chosen={model.version} />
      </section>
      <section className="models-section">
        <h2>Versions</h2>
        <Versions workspace={workspace} versions={items} chosen={model.version} />
      </section>
      {deleting && (
        <FormDialog title={`Delete version ${model.version} of ${name}`} action="Delete" kind="danger" act={remove} onClose={() => setDeleting(false)}>
          <p>Its number is not given again. What a run put out stays with the run.</p>
        </FormDialog>
      )}
    </>
  );
}
