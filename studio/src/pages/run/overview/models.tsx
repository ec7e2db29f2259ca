// Models that were registered from this run.
import { api, segment, type Run, type Schemas } from "../../../lib/api";
import { bytes } from "../../../lib/format";
import { useResource } from "../../../lib/resource";
import { workspacePath } from "../../../lib/route";
import { Link, Problem } from "../../../ui/base";

export function Models({ run }: { run: Run }) {
  const { data, error, reload } = useResource(`models/${run.workspace}/run/${run.id}`, () =>
    api.get<Schemas["ModelList"]>(`/workspaces/${segment(run.workspace)}/models`, { run: run.id, limit: 100 }),
  );
  if (error && !data) return <Problem error={error} retry={reload} />;
  if (!data || data.items.length === 0) return null;
  return (
    <section className="card" aria-labelledby="models-title">
      <h2 id="models-title">Models made of it</h2>
      <ul className="overview-models">
        {data.items.map((model) => (
          <li key={model.id}>
            <Link href={workspacePath(run.workspace, `models/${encodeURIComponent(model.name)}`)}>
              {model.name}, version {model.version}
            </Link>{" "}
            <span className="note">{bytes(model.size)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
