// Which run it is, how it stands, and what can be done with it.
import { useState } from "react";
import { api, segment, type Run } from "../../lib/api";
import { duration } from "../../lib/format";
import { workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { SWEEP_TYPE, sweepOf, sweepPath } from "../../lib/sweep";
import { Button, Copy, Dialog, isOver, Link, Status, Time } from "../../ui/base";
import { attempt } from "../../ui/notify";
import { AgainDialog, isRepeatable } from "./again/dialog";
import { useNow } from "./now";

function Name({ run, onRun }: { run: Run; onRun: (run: Run) => void }) {
  const [draft, setDraft] = useState<string>();
  const may = useMay("contributor");
  const save = () => {
    const name = draft?.trim();
    setDraft(undefined);
    if (!name || name === run.display_name) return;
    void attempt(api.patch<Run>(`/runs/${segment(run.id)}`, { display_name: name }).then(onRun), "Renamed.");
  };
  if (draft === undefined) {
    return (
      <>
        <h1>{run.display_name || run.id}</h1>
        {may && (
          <Button kind="quiet" small aria-label="Rename the run" title="Rename" onClick={() => setDraft(run.display_name)}>
            ✎
          </Button>
        )}
      </>
    );
  }
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h1 className="visually-hidden">{run.display_name}</h1>
      <input
        type="text"
        aria-label="Name of the run"
        className="run-rename"
        autoFocus
        maxLength={256}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setDraft(undefined)}
      />
      <Button type="submit" kind="main" small>
        Save
      </Button>
      <Button small onClick={() => setDraft(undefined)}>
        Leave it
      </Button>
    </form>
  );
}

function Times({ run }: { run: Run }) {
  const over = isOver(run.status);
  const now = useNow(!over && run.started_at !== null);
  const end = run.ended_at ? Date.parse(run.ended_at) : now;
  return (
    <>
      <span>
        created <Time at={run.created_at} /> by {run.created_by}
      </span>
      {run.started_at && (
        <span>
          {over ? "took" : "running for"} <strong className="run-took">{duration(Math.max(0, (end - Date.parse(run.started_at)) / 1000))}</strong>
        </span>
      )}
      {run.ended_at && (
        <span>
          ended <Time at={run.ended_at} />
        </span>
      )}
    </>
  );
}

function Actions({ run, onRun }: { run: Run; onRun: (run: Run) => void }) {
  const may = useMay("contributor");
  const [asking, setAsking] = useState(false);
  const [repeating, setRepeating] = useState(false);
  const path = `/runs/${segment(run.id)}`;
  const over = isOver(run.status);
  // A sweep is started again from its file: the server refuses a rerun.
  const again = isRepeatable(run);
  return (
    <div className="row spring">
      {run.type === SWEEP_TYPE && (
        <Link className="button main" href={sweepPath(run.id)}>
          Sweep
        </Link>
      )}
      <Link className="button" href={`${workspacePath(run.workspace, "compare")}?run=${encodeURIComponent(run.id)}`}>
        Compare …
      </Link>
      {may && again && (
        <Button onClick={() => setRepeating(true)}>Run again …</Button>
      )}
      {may && over && (
        <Button onClick={() => void attempt(api.patch<Run>(path, { archived: !run.archived }).then(onRun), run.archived ? "Back in the lists." : "Archived: out of the lists.")}>
          {run.archived ? "Take out of the archive" : "Archive"}
        </Button>
      )}
      {may && !over && (
        <Button kind="danger" disabled={run.status === "CancelRequested"} onClick={() => setAsking(true)}>
          {run.status === "CancelRequested" ? "Being cancelled" : "Cancel"}
        </Button>
      )}
      {repeating && <AgainDialog run={run} title="Run it again" onClose={() => setRepeating(false)} />}
      {asking && (
        <Dialog title="Cancel this run?" onClose={() => setAsking(false)}>
          <p>Its processes get SIGTERM, a grace period, then SIGKILL. What it has logged and put out so far is kept.</p>
          <div className="row">
            <Button
              kind="danger"
              autoFocus
              onClick={() => {
                setAsking(false);
                void attempt(api.post<Run>(`${path}/cancel`).then(onRun), "The run is being cancelled.");
              }}
            >
              Cancel the run
            </Button>
            <Button onClick={() => setAsking(false)}>Let it go on</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

export function RunHeader({ run, onRun }: { run: Run; onRun: (run: Run) => void }) {
  const experiment = `${workspacePath(run.workspace, "runs")}?q=${encodeURIComponent(`experiment:${quoted(run.experiment)}`)}`;
  const sweep = sweepOf(run);
  return (
    <header className="run-header">
      <div className="row">
        <Status status={run.status} />
        <Name run={run} onRun={onRun} />
        <Actions run={run} onRun={onRun} />
      </div>
      <div className="run-facts note">
        <span>
          <Link href={experiment}>{run.experiment}</Link> #{run.number}
        </span>
        {sweep && (
          <span>
            trial #{sweep.trial} of <Link href={sweepPath(sweep.id)}>its sweep</Link>
          </span>
        )}
        <Copy text={run.id} />
        {run.archived && <span className="tag">archived</span>}
        {run.attempt > 1 && <span>attempt {run.attempt}</span>}
        <Times run={run} />
      </div>
    </header>
  );
}

const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `"${text.replace(/(["\\])/g, "\\$1")}"`);
