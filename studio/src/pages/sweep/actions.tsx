// What can be done with a sweep: pause, go on, stop, raise its limits, add a trial.
import { useState } from "react";
import { runPath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { updateSweep, type Sweep, type SweepUpdate } from "../../lib/sweep";
import { Button, Link } from "../../ui/base";
import { Field, FormDialog } from "../../ui/form";
import { attempt, notify } from "../../ui/notify";
import { AddTrialDialog } from "./add_trial";
import { tried } from "./facts";
import { limitChange, limitFields, limitProblems } from "./limits";

function LimitsDialog({ sweep, onSweep, onClose }: { sweep: Sweep; onSweep: (sweep: Sweep) => void; onClose: () => void }) {
  const [before] = useState(() => limitFields(sweep));
  const [fields, setFields] = useState(before);
  const problems = limitProblems(fields, tried(sweep));
  const save = async () => {
    const change = limitChange(before, fields);
    if (Object.keys(change).length === 0) return;
    onSweep(await updateSweep(sweep.id, change));
    notify("The sweep has its new limits.");
  };
  return (
    <FormDialog title="Limits of the sweep" action="Save" ready={Object.keys(problems).length === 0} act={save} onClose={onClose}>
      <div className="form-pair">
        <Field label="Most trials" help="In all, with those there are." wrong={problems.total}>
          {(ids) => <input {...ids} type="text" inputMode="numeric" autoComplete="off" value={fields.total} onChange={(event) => setFields({ ...fields, total: event.target.value })} />}
        </Field>
        <Field label="At a time" help={before.concurrent === "" ? "Empty: all at once." : "How many may run at once."} wrong={problems.concurrent}>
          {(ids) => <input {...ids} type="text" inputMode="numeric" autoComplete="off" value={fields.concurrent} onChange={(event) => setFields({ ...fields, concurrent: event.target.value })} />}
        </Field>
      </div>
      <p className="note">Trials that run already go on.</p>
    </FormDialog>
  );
}

export function SweepActions({ sweep, onSweep, onAdded }: { sweep: Sweep; onSweep: (sweep: Sweep) => void; onAdded: () => void }) {
  const may = useMay("contributor");
  const [open, setOpen] = useState<"limits" | "stop" | "add">();
  const [busy, setBusy] = useState(false);
  const act = (change: SweepUpdate, done: string) => {
    setBusy(true);
    void attempt(updateSweep(sweep.id, change).then(onSweep), done).then(() => setBusy(false));
  };
  const { phase } = sweep;
  return (
    <div className="row spring">
      <Link className="button" href={runPath(sweep.id)}>
        Its run
      </Link>
      {may && phase === "running" && (
        <Button disabled={busy} onClick={() => act({ paused: true }, "Paused: no new trials until it goes on.")}>
          Pause
        </Button>
      )}
      {may && phase === "paused" && (
        <Button kind="main" disabled={busy} onClick={() => act({ paused: false }, "The sweep goes on.")}>
          Resume
        </Button>
      )}
      {may && (phase === "running" || phase === "paused") && (
        <>
          <Button onClick={() => setOpen("add")}>Add a trial …</Button>
          <Button onClick={() => setOpen("limits")}>Limits …</Button>
          <Button kind="danger" onClick={() => setOpen("stop")}>
            Stop …
          </Button>
        </>
      )}
      {open === "add" && <AddTrialDialog sweep={sweep} onAdded={onAdded} onClose={() => setOpen(undefined)} />}
      {open === "limits" && <LimitsDialog sweep={sweep} onSweep={onSweep} onClose={() => setOpen(undefined)} />}
      {open === "stop" && (
        <FormDialog title="Stop this sweep?" action="Stop the sweep" kind="danger" act={() => updateSweep(sweep.id, { stop: true }).then(onSweep)} onClose={() => setOpen(undefined)}>
          <p>No new trials are made. Those that run finish, then the sweep is Completed. This cannot be undone.</p>
          <p className="note">To end the running trials at once as well, cancel the sweep’s run.</p>
        </FormDialog>
      )}
    </div>
  );
}
