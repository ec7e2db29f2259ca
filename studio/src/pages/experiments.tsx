// The experiments of a workspace.
import { api, segment, type Schemas } from "../lib/api";
import { allPages, type Listed } from "../lib/all_pages";
import { count } from "../lib/format";
import { useLive } from "../lib/live";
import { useResource } from "../lib/resource";
import { useSearch, workspacePath } from "../lib/route";
import { useMay } from "../lib/session";
import { useEffect, useRef } from "react";
import { Button, Empty, Link, Loading, Problem, Time } from "../ui/base";
import { attempt } from "../ui/notify";
import { TagEditor, TagList } from "../ui/tags";
import { withoutNote } from "../ui/note";
import { BestMetric } from "./experiments/best";
import { NoteButton } from "./experiments/note_button";
import { States } from "./experiments/states";
import { experimentQuery, orderedExperiments, type ExperimentOrder } from "./experiments/order";
import "./experiments.css";

type Experiment = Schemas["Experiment"];

const COLUMNS: { order: ExperimentOrder; title: string; number?: boolean }[] = [
  { order: "name", title: "Experiment" },
  { order: "runs", title: "Runs", number: true },
  { order: "last", title: "Last run" },
  { order: "created", title: "Created" },
];

interface RowProps {
  experiment: Experiment;
  statuses: Record<string, number> | undefined;
  may: boolean;
  onChange: (change: Schemas["UpdateExperiment"], done?: string) => Promise<boolean>;
}

function Row({ experiment, statuses, may, onChange }: RowProps) {
  const tags = withoutNote(experiment.tags);
  return (
    <tr>
      <td>
        <Link href={`${workspacePath(experiment.workspace, "runs")}?q=${encodeURIComponent(experimentQuery(experiment.name))}`}>{experiment.name}</Link>
        {experiment.archived && <span className="tag experiments-archived">archived</span>}
        <NoteButton experiment={experiment} may={may} onChange={(change) => onChange(change, "The note is saved.")} />
      </td>
      <td className="number">{count(experiment.run_count)}</td>
      <td>
        <States statuses={statuses} />
      </td>
      <td>
        <BestMetric experiment={experiment} />
      </td>
      <td>{experiment.last_run_at ? <Time at={experiment.last_run_at} /> : "never"}</td>
      <td>
        <Time at={experiment.created_at} />
      </td>
      <td>{may ? <TagEditor tags={tags} onChange={(change) => void onChange(change)} /> : <TagList tags={tags} />}</td>
      {may && (
        <td className="experiments-actions">
          <Button
            small
            aria-label={`${experiment.archived ? "Restore" : "Archive"} ${experiment.name}`}
            onClick={() => void onChange({ archived: !experiment.archived }, experiment.archived ? `${experiment.name} is back` : `${experiment.name} is archived`)}
          >
            {experiment.archived ? "Restore" : "Archive"}
          </Button>
        </td>
      )}
    </tr>
  );
}

export default function ExperimentsPage({ workspace }: { workspace: string }) {
  const may = useMay("contributor");
  const [search, change] = useSearch();
  const path = `/workspaces/${segment(workspace)}/experiments`;
  const list = useResource<Listed<Experiment>>(`experiments/${workspace}`, () => allPages(path));
  const groups = useResource(`experiment-states/${workspace}`, () => api.get<Schemas["RunGroups"]>(`/workspaces/${segment(workspace)}/run-groups`, { by: "experiment" }));
  const statuses = new Map(groups.data?.items.map((group) => [group.value, group.statuses]));
  // New runs come in numbers: counts follow once in a while.
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLive(`runs/${workspace}`, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      list.reload();
      groups.reload();
    }, 2000);
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  const [find, archived] = [search.get("q") ?? "", search.get("archived") === "1"];
  const order = (search.get("sort") ?? "last") as ExperimentOrder;
  const items = list.data?.items ?? [];
  const shown = orderedExperiments(items, find, archived, order);
  const update = async (experiment: Experiment, body: Schemas["UpdateExperiment"], done?: string) => {
    const ok = await attempt(api.patch(`${path}/${segment(experiment.name)}`, body), done);
    if (ok) list.reload();
    return ok;
  };
  const header = (column: (typeof COLUMNS)[number]) => (
    <th key={column.order} className={column.number ? "number" : ""} aria-sort={order === column.order ? (column.order === "name" ? "ascending" : "descending") : undefined}>
      <button type="button" className="experiments-sort" onClick={() => change({ sort: column.order === "last" ? null : column.order })}>
        {column.title} <span aria-hidden="true">{order === column.order ? (column.order === "name" ? "↑" : "↓") : ""}</span>
      </button>
    </th>
  );
  return (
    <>
      <div className="head">
        <h1>Experiments</h1>
        <label>
          <span className="visually-hidden">Find experiments</span>
          <input type="search" placeholder="Find by name or tag" value={find} onChange={(event) => change({ q: event.target.value })} />
        </label>
        <label>
          <input type="checkbox" checked={archived} onChange={(event) => change({ archived: event.target.checked ? "1" : null })} /> Archived ones too
        </label>
      </div>
      {list.error && <Problem error={list.error} retry={list.reload} />}
      {list.loading && <Loading what="the experiments" />}
      {list.data && items.length === 0 && (
        <Empty title="No experiments yet">
          <p>An experiment comes into being with its first run.</p>
          <pre>roost submit --experiment birds -- python train.py</pre>
        </Empty>
      )}
      {items.length > 0 && shown.length === 0 && <p className="note">No experiment fits. {!archived && "Archived ones are left out."}</p>}
      {shown.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Experiments">
          <table>
            <thead>
              <tr>
                {COLUMNS.slice(0, 2).map(header)}
                <th>States</th>
                <th>Best</th>
                {COLUMNS.slice(2).map(header)}
                <th>Tags</th>
                {may && (
                  <th>
                    <span className="visually-hidden">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {shown.map((experiment) => (
                <Row key={experiment.id} experiment={experiment} may={may} statuses={statuses.get(experiment.name)} onChange={(body, done) => update(experiment, body, done)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.data?.more && <p className="note">These are the first {count(items.length)}.</p>}
    </>
  );
}
