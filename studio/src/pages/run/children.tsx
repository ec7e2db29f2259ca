// The runs that this run started.
import { api, segment, type Schemas } from "../../lib/api";
import { duration, number, toNumber } from "../../lib/format";
import { useLive } from "../../lib/live";
import { useResource } from "../../lib/resource";
import { runPath, useSearch, workspacePath } from "../../lib/route";
import { Button, Empty, Link, Loading, Problem, Status, Time } from "../../ui/base";
import type { TabProps } from "../run";
import "./children.css";

const PAGE = 200;
/** As many as can be compared. */
const COMPARED = 50;

export default function ChildrenTab({ run }: TabProps) {
  const [search, change] = useSearch();
  const sort = search.get("sort") ?? "-created";
  const { data, error, loading, reload } = useResource(`children/${run.id}/${sort}`, () =>
    api.get<Schemas["RunTable"]>(`/workspaces/${segment(run.workspace)}/run-table`, { q: `parent:${run.id} is:any`, sort, limit: PAGE, column: ["metrics.*", "params.*"] }),
  );
  useLive(`runs/${run.workspace}`, (event) => {
    if (event.type === "reset" || (event.type === "runs" && event.rows.some((row) => row.parent === run.id))) reload();
  });
  if (loading) return <Loading what="children" />;
  if (!data) return error ? <Problem error={error} retry={reload} /> : null;
  if (data.items.length === 0) {
    return (
      <Empty title="This run has no children">
        <p>A script makes them to keep parts of its work apart, for example one for each trial of a search:</p>
        <pre>{`child = run.child_run(name="lr 0.1")\nchild.log("loss", loss)\nchild.complete()`}</pre>
      </Empty>
    );
  }
  const metrics = [...new Set(data.items.flatMap((row) => Object.keys(row.metrics)))].sort();
  const params = [...new Set(data.items.flatMap((row) => Object.keys(row.params)))].sort();
  const compare = `${workspacePath(run.workspace, "compare")}?${new URLSearchParams(data.items.slice(0, COMPARED).map((row) => ["run", row.id]))}`;
  const Column = ({ field, text, className = "" }: { field: string; text: string; className?: string }) => {
    const [up, down] = [sort === field, sort === `-${field}`];
    return (
      <th scope="col" className={className} aria-sort={up ? "ascending" : down ? "descending" : undefined}>
        <Button kind="quiet" small onClick={() => change({ sort: down ? field : `-${field}` })}>
          {text} <span aria-hidden="true">{up ? "↑" : down ? "↓" : ""}</span>
        </Button>
      </th>
    );
  };
  return (
    <div className="children">
      <div className="row">
        <p>
          {data.total} {data.total === 1 ? "child" : "children"}
          {data.total > data.items.length && `, ${data.items.length} of them shown`}
        </p>
        {data.items.length > 1 && (
          <Link className="button" href={compare}>
            {data.items.length > COMPARED ? `Compare the first ${COMPARED}` : "Compare them all"}
          </Link>
        )}
      </div>
      {error && <Problem error={error} retry={reload} />}
      <div className="scroll" tabIndex={0} role="region" aria-label="Children">
        <table>
          <caption className="visually-hidden">Children of the run</caption>
          <thead>
            <tr>
              <Column field="name" text="Name" />
              <Column field="status" text="Status" />
              <Column field="created" text="Created" />
              <Column field="duration" text="Took" className="number" />
              {params.map((name) => (
                <Column key={`p ${name}`} field={`params.${name}`} text={`--${name}`} />
              ))}
              {metrics.map((name) => (
                <Column key={`m ${name}`} field={`metrics.${name}`} text={name} className="number" />
              ))}
            </tr>
          </thead>
          <tbody>
            {data.items.map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  <Link href={runPath(row.id)}>{row.display_name || row.id}</Link> <span className="note">#{row.number}</span>
                </th>
                <td>
                  <Status status={row.status} />
                </td>
                <td>
                  <Time at={row.created_at} />
                </td>
                <td className="number">{duration(row.duration_seconds)}</td>
                {params.map((name) => (
                  <td key={`p ${name}`}>{row.params[name] ?? "–"}</td>
                ))}
                {metrics.map((name) => {
                  const value = row.metrics[name];
                  return (
                    <td key={`m ${name}`} className="number" title={String(value ?? "")}>
                      {value === undefined ? "–" : number(toNumber(value))}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
