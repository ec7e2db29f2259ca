// The runs of the comparison: each with its colour, to be hidden, taken away, or joined by others.
import { useEffect, useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { useKept, useResource } from "../../lib/resource";
import { runPath } from "../../lib/route";
import { Button, Dialog, Link, Loading, Problem, Status, Time } from "../../ui/base";
import { cssColor, MOST_RUNS } from "./selection";
import type { ComparedRun } from "./comparison";

export function Swatch({ run }: { run: { color: string; dashed: boolean } }) {
  return (
    <svg className="compare-swatch" width="18" height="10" aria-hidden="true">
      <line x1="0" y1="5" x2="18" y2="5" style={{ stroke: cssColor(run.color) }} strokeWidth="4" strokeDasharray={run.dashed ? "5 3" : undefined} />
    </svg>
  );
}

interface ChosenProps {
  runs: ComparedRun[];
  hidden: Set<string>;
  onHide: (id: string) => void;
  onRemove: (id: string) => void;
}

export function Chosen({ runs, hidden, onHide, onRemove }: ChosenProps) {
  return (
    <ul className="compare-runs" aria-label="Runs compared" tabIndex={0}>
      {runs.map((run) => (
        <li key={run.id} className={hidden.has(run.id) ? "off" : ""}>
          <button type="button" className="compare-toggle" aria-pressed={!hidden.has(run.id)} onClick={() => onHide(run.id)} title={hidden.has(run.id) ? "Show it" : "Hide it"}>
            <Swatch run={run} />
            <span className="visually-hidden">Show {run.label}</span>
          </button>
          <Link href={runPath(run.id)} title={run.id}>
            {run.label}
          </Link>
          <Status status={run.row.status} />
          <Button kind="quiet" small aria-label={`Remove ${run.label} from the comparison`} title="Remove" onClick={() => onRemove(run.id)}>
            ✕
          </Button>
        </li>
      ))}
    </ul>
  );
}

export function AddRuns({ workspace, chosen, onAdd, onClose }: { workspace: string; chosen: string[]; onAdd: (id: string) => void; onClose: () => void }) {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), 150);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useResource<Schemas["RunTable"]>(`compare-search/${workspace}/${asked}`, () =>
    api.get(`/workspaces/${segment(workspace)}/run-table`, { q: asked, limit: 30 }),
  );
  const rows = useKept(found.data)?.items;
  const full = chosen.length >= MOST_RUNS;
  return (
    <Dialog title="Add runs" onClose={onClose}>
      <label className="compare-search">
        <span className="visually-hidden">Search runs</span>
        <input type="search" autoFocus placeholder="birds status:completed metrics.loss<0.3" value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <p className="note">
        {chosen.length} of at most {MOST_RUNS} chosen.
      </p>
      {found.error && <Problem error={found.error} retry={found.reload} />}
      {!rows && found.loading && <Loading what="runs" />}
      {rows && rows.length === 0 && <p className="note">No run fits this search.</p>}
      {rows && rows.length > 0 && (
        <ul className="compare-found">
          {rows.map((row) => {
            const there = chosen.includes(row.id);
            return (
              <li key={row.id}>
                <Button small disabled={there || full} onClick={() => onAdd(row.id)} aria-label={`${there ? "Added" : "Add"} ${row.display_name || row.id}`}>
                  {there ? "Added" : "Add"}
                </Button>
                <span className="compare-found-name">
                  {row.display_name || row.id} <span className="note">{row.experiment}</span>
                </span>
                <Status status={row.status} />
                <span className="note">
                  <Time at={row.created_at} />
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Dialog>
  );
}
