// The models of a workspace, each by its newest version.
import { segment, type Schemas } from "../lib/api";
import { allPages, type Listed } from "../lib/all_pages";
import { bytes, count } from "../lib/format";
import { useFresh, useResource } from "../lib/resource";
import { runPath, useSearch, workspacePath } from "../lib/route";
import { Empty, Link, Loading, Problem, Time } from "../ui/base";
import { TagList } from "../ui/tags";
import { otherTags, STAGES, stageOf } from "./models/stage";
import { StageMark } from "./models/stage_mark";
import "./models.css";

type Model = Schemas["Model"];

const SDK = `run.register_model("bird-net", model_path="outputs/model")`;

function fits(model: Model, words: string[], stage: string): boolean {
  if (stage && stageOf(model.tags) !== stage) return false;
  const text = [model.name, model.description, model.framework ?? "", model.experiment ?? "", ...Object.entries(model.tags).map(([key, value]) => `${key}=${value ?? ""}`)]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

export default function ModelsPage({ workspace }: { workspace: string }) {
  const [search, change] = useSearch();
  const models = useResource<Listed<Model>>(`models/${workspace}`, () => allPages(`/workspaces/${segment(workspace)}/models`, { latest: true }));
  useFresh(models.reload);
  const items = models.data?.items ?? [];
  const [find, stage] = [search.get("q") ?? "", search.get("stage") ?? ""];
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = items.filter((model) => fits(model, words, stage));
  return (
    <>
      <div className="head">
        <h1>Models</h1>
        <label>
          <span className="visually-hidden">Find models</span>
          <input type="search" placeholder="Find by name, tag, framework" value={find} onChange={(event) => change({ q: event.target.value })} />
        </label>
        <label>
          Stage{" "}
          <select value={stage} onChange={(event) => change({ stage: event.target.value })}>
            <option value="">any</option>
            {STAGES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      {models.error && <Problem error={models.error} retry={models.reload} />}
      {models.loading && <Loading what="the models" />}
      {models.data && items.length === 0 && (
        <Empty title="No models yet">
          <p>Register what a run left in its outputs, in the script or afterwards:</p>
          <pre>{`${SDK}\nroost model register bird-net --run RUN --path outputs/model`}</pre>
        </Empty>
      )}
      {items.length > 0 && shown.length === 0 && <p className="note">No model fits.</p>}
      {shown.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Models">
          <table>
            <thead>
              <tr>
                <th>Model</th>
                <th className="number">Newest</th>
                <th>Stage</th>
                <th>Framework</th>
                <th className="number">Size</th>
                <th>Made by</th>
                <th>Registered</th>
                <th>Tags</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((model) => (
                <tr key={model.name}>
                  <td>
                    <Link href={workspacePath(workspace, `models/${segment(model.name)}`)}>{model.name}</Link>
                    {model.description && <div className="note models-short">{model.description}</div>}
                  </td>
                  <td className="number">{model.version}</td>
                  <td>
                    <StageMark tags={model.tags} />
                  </td>
                  <td>{model.framework ? `${model.framework} ${model.framework_version ?? ""}` : "–"}</td>
                  <td className="number" title={`${count(model.size)} bytes in ${model.files} files`}>
                    {bytes(model.size)}
                  </td>
                  <td>{model.run ? <Link href={runPath(model.run)}>{model.experiment ?? model.run}</Link> : model.created_by}</td>
                  <td>
                    <Time at={model.created_at} />
                  </td>
                  <td>
                    <TagList tags={otherTags(model.tags)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {models.data?.more && <p className="note">These are the first {count(items.length)}.</p>}
    </>
  );
}
