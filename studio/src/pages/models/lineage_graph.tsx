// From the run that made a version to what serves it, drawn.
import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { api, segment, type RunRow, type Schemas } from "../../lib/api";
import { endpointPath } from "../../lib/endpoint";
import { useResource } from "../../lib/resource";
import { navigate, runPath, workspacePath } from "../../lib/route";
import { queriesFor } from "../compare/selection";
import { BOX, layoutLineage, versionsToDraw } from "./lineage";
import { stageOf } from "./stage";

type Model = Schemas["Model"];
const HEAD = 30;

function follow(event: MouseEvent | KeyboardEvent, href: string): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  navigate(href);
}

function Node({ x, y, href, label, className, title, children }: { x: number; y: number; href: string; label: string; className: string; title: string; children?: ReactNode }) {
  return (
    <a href={href} aria-label={label} onClick={(event) => follow(event, href)} className={`lineage-node ${className}`}>
      <g transform={`translate(${x} ${y + HEAD})`}>
        <rect width={BOX.width} height={BOX.height} rx={8} />
        <text x={12} y={20} className="lineage-title">
          {title.length > 28 ? `${title.slice(0, 27)}…` : title}
          <title>{title}</title>
        </text>
        <text x={12} y={37} className="lineage-more">
          {children}
        </text>
      </g>
    </a>
  );
}

export function LineageGraph({ workspace, versions, chosen }: { workspace: string; versions: Model[]; chosen: number }) {
  const drawn = versionsToDraw(versions, chosen);
  const layout = layoutLineage(drawn);
  const ids = layout.runs.map((one) => one.run);
  const rows = useResource<Map<string, RunRow>>(ids.length > 0 ? `lineage/${workspace}/${ids.join(",")}` : null, async () => {
    const tables = await Promise.all(
      queriesFor(ids).map((q) => api.get<Schemas["RunTable"]>(`/workspaces/${segment(workspace)}/run-table`, { q, limit: 100 })),
    );
    return new Map(tables.flatMap((table) => table.items.map((row) => [row.id, row])));
  });
  const versionHref = (model: Model) => `${workspacePath(workspace, `models/${segment(model.name)}`)}?version=${model.version}`;
  const headings = ["Run", "Version", "Deployment"];
  const columns = [0, layout.versions[0]?.x ?? 0, layout.width - BOX.width];
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Lineage">
      <svg className="lineage" width={layout.width + 2} height={layout.height + HEAD + 4} role="group" aria-label="Lineage: run, version, deployment">
        <g transform="translate(1 1)">
          {headings.map((text, i) => (
            <text key={text} x={columns[i]} y={16} className="lineage-heading">
              {text}
            </text>
          ))}
          {layout.edges.map((edge) => (
            <path key={`${edge.from} ${edge.to}`} d={edge.path} transform={`translate(0 ${HEAD})`} className={`lineage-edge ${edge.version === chosen ? "chosen" : ""}`} />
          ))}
          {layout.runs.map(({ run, x, y, id }) => {
            const row = rows.data?.get(run);
            const name = row?.display_name || run;
            return (
              <Node key={id} x={x} y={y} href={runPath(run)} title={name} label={`Run ${name}${row ? `, ${row.status}` : ""}`} className="run">
                {row ? `${row.experiment} · ${row.status}` : rows.loading ? "…" : rows.error ? "more could not be asked for" : "not in this workspace"}
              </Node>
            );
          })}
          {layout.versions.map(({ version, x, y, id }, i) => {
            const model = drawn[i]!;
            const stage = stageOf(model.tags);
            return (
              <Node
                key={id}
                x={x}
                y={y}
                href={versionHref(model)}
                title={`${model.name} : ${version}`}
                label={`Version ${version}${version === chosen ? ", shown here" : ""}`}
                className={`version ${version === chosen ? "chosen" : ""}`}
              >
                {[stage === "None" ? "no stage" : stage, model.run ? undefined : "uploaded, made by no run"].filter(Boolean).join(" · ")}
              </Node>
            );
          })}
          {layout.serving.map((one) => (
            <Node
              key={one.id}
              x={one.x}
              y={one.y}
              href={endpointPath(one.workspace, one.endpoint)}
              title={one.endpoint}
              label={`Endpoint ${one.endpoint}, deployment ${one.deployment}`}
              className="serving"
            >
              {`deployment ${one.deployment}${one.workspace === workspace ? "" : ` in ${one.workspace}`}`}
            </Node>
          ))}
          {layout.none && (
            <g transform={`translate(${layout.none.x} ${HEAD})`} className="lineage-none">
              <rect width={BOX.width} height={layout.none.height} rx={8} />
              <text x={BOX.width / 2} y={layout.none.height / 2} textAnchor="middle" dy="0.32em">
                No deployment serves it
              </text>
            </g>
          )}
        </g>
      </svg>
    </div>
  );
}
