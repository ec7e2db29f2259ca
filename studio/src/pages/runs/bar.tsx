// What can be done with the runs that are selected.
import { useState } from "react";
import { api, segment, type RunRow } from "../../lib/api";
import { count } from "../../lib/format";
import { navigate, workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Dialog, isOver } from "../../ui/base";
import { notify } from "../../ui/notify";
import type { Selection } from "./selection";

const AT_ONCE = 4;
const MOST_NAMED = 8;
const runs = (n: number): string => (n === 1 ? "1 run" : `${count(n)} runs`);

/** Does it for each, a few at a time; says how many, and the first reason of those that did not work. `undo` gets those that did. */
async function forEach(rows: readonly RunRow[], done: string, act: (row: RunRow) => Promise<unknown>, undo?: (rows: readonly RunRow[]) => void): Promise<void> {
  const left = [...rows];
  const problems: string[] = [];
  const worked: RunRow[] = [];
  const work = async () => {
    for (let row = left.shift(); row; row = left.shift()) {
      const { display_name } = row;
      await act(row).then(() => worked.push(row!), (error: Error) => problems.push(`${display_name}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const good = rows.length - problems.length;
  if (good > 0) notify(`${runs(good)} ${done}.`, false, undo && (() => undo(worked)));
  if (problems.length > 0) notify(`${runs(problems.length)} could not be ${done}. ${problems[0]}`, true);
}

export const MOST_COMPARED = 50;
export function compareHref(workspace: string, ids: readonly string[]): string {
  return `${workspacePath(workspace, "compare")}?${ids.map((id) => `run=${encodeURIComponent(id)}`).join("&")}`;
}

export function SelectionBar({ workspace, selection, onDone }: { workspace: string; selection: Selection; onDone: () => void }) {
  const may = useMay("contributor");
  const [asking, setAsking] = useState(false);
  const [repeating, setRepeating] = useState(false);
  const [busy, setBusy] = useState(false);
  const chosen = [...selection.runs.values()];
  if (chosen.length === 0) return null;
  const active = chosen.filter((row) => !isOver(row.status));
  const archived = chosen.filter((row) => row.archived);
  const unarchived = chosen.filter((row) => !row.archived);
  const ended = chosen.filter((row) => isOver(row.status));
  const act = async (rows: readonly RunRow[], done: string, what: (row: RunRow) => Promise<unknown>, undo?: (rows: readonly RunRow[]) => void) => {
    setBusy(true);
    await forEach(rows, done, what, undo);
    setBusy(false);
    selection.clear();
    onDone();
  };
  const restore = (rows: readonly RunRow[]) => void forEach(rows, "taken out of the bin", (row) => api.post(`/runs/${segment(row.id)}/restore`)).then(onDone);
  const patch = (to: boolean) => (row: RunRow) => api.patch(`/runs/${segment(row.id)}`, { archived: to });

  return (
    <div className="runs-bar" role="toolbar" aria-label="Selected runs">
      <strong role="status">{runs(chosen.length)} selected</strong>
      <Button
        kind="main"
        small
        disabled={chosen.length < 2 || chosen.length > MOST_COMPARED}
        title={chosen.length > MOST_COMPARED ? `At most ${MOST_COMPARED} runs can be compared` : chosen.length < 2 ? "Select two or more" : undefined}
        onClick={() => navigate(compareHref(workspace, chosen.map((row) => row.id)))}
      >
        Compare
      </Button>
      {may && (
        <>
          <Button small kind="danger" disabled={busy || active.length === 0} title={active.length === 0 ? "None of them is running or waiting" : undefined} onClick={() => setAsking(true)}>
            Cancel{active.length > 0 && active.length < chosen.length ? ` ${active.length}` : ""}
          </Button>
          <Button small disabled={busy} onClick={() => setRepeating(true)}>
            Run again …
          </Button>
          {unarchived.length > 0 && (
            <Button small disabled={busy} onClick={() => void act(unarchived, "archived", patch(true))}>
              Archive
            </Button>
          )}
          {archived.length > 0 && (
            <Button small disabled={busy} onClick={() => void act(archived, "restored", patch(false))}>
              Restore
            </Button>
          )}
          <Button
            small
            kind="danger"
            disabled={busy || ended.length === 0}
            title={ended.length === 0 ? "Runs that have not ended are canceled first" : undefined}
            onClick={() => void act(ended, "put into the bin", (row) => api.remove(`/runs/${segment(row.id)}`), restore)}
          >
            Delete{ended.length > 0 && ended.length < chosen.length ? ` ${ended.length}` : ""}
          </Button>
        </>
      )}
      <Button small kind="quiet" onClick={selection.clear}>
        Clear
      </Button>
      {repeating && (
        <Dialog title={`Run ${runs(chosen.length)} again?`} onClose={() => setRepeating(false)}>
          <p>Each is started once more with the same code, command, versions and compute. To change something, open the run.</p>
          <ul className="runs-again">
            {chosen.slice(0, MOST_NAMED).map((row) => (
              <li key={row.id}>
                <bdi>{row.display_name || row.id}</bdi> <span className="note">on {row.compute}</span>
              </li>
            ))}
            {chosen.length > MOST_NAMED && <li className="note">and {count(chosen.length - MOST_NAMED)} more</li>}
          </ul>
          <div className="row">
            <Button
              kind="main"
              autoFocus
              onClick={() => {
                setRepeating(false);
                void act(chosen, "submitted again", (row) => api.post(`/runs/${segment(row.id)}/rerun`));
              }}
            >
              Run {runs(chosen.length)} again
            </Button>
            <Button onClick={() => setRepeating(false)}>Leave it</Button>
          </div>
        </Dialog>
      )}
      {asking && (
        <Dialog title={`Cancel ${runs(active.length)}?`} onClose={() => setAsking(false)}>
          <p>Everything started by {active.length === 1 ? "it" : "them"} is stopped. What was logged and written so far is kept.</p>
          <div className="row">
            <Button
              kind="danger"
              onClick={() => {
                setAsking(false);
                void act(active, "canceled", (row) => api.post(`/runs/${segment(row.id)}/cancel`));
              }}
            >
              Cancel {runs(active.length)}
            </Button>
            <Button onClick={() => setAsking(false)}>Keep {active.length === 1 ? "it" : "them"}</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
