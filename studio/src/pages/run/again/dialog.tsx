// Asks before a run is started once more, or its code with something else: shows what will run, and what differs.
import { useEffect, useMemo, useRef, useState } from "react";
import { ApiError, api, segment, type Run, type Schemas } from "../../../lib/api";
import { useResource } from "../../../lib/resource";
import { navigate, runPath } from "../../../lib/route";
import { SWEEP_TYPE } from "../../../lib/sweep";
import { Loading, Problem } from "../../../ui/base";
import { Field, FormDialog } from "../../../ui/form";
import { notify } from "../../../ui/notify";
import { changesOf, draftOf, newRun, type Changes, type Draft, type Spec } from "./changes";
import "./again.css";

type Preview = Schemas["RerunPreview"];
const PAUSE_MS = 300;

/** Whether the server can start it once more: nobody but its own process knows what an interactive one did. */
export const isRepeatable = (run: Run): boolean => run.spec.interactive !== true && run.type !== SWEEP_TYPE;

/** What the server says to a draft, asked for when the writing pauses. */
function usePreview(run: Run, changes: Changes, ready: boolean): { shown: Preview | undefined; problem: ApiError | undefined; fresh: boolean } {
  const text = JSON.stringify(changes);
  const [answer, setAnswer] = useState<{ text: string; shown?: Preview; problem?: ApiError }>();
  const last = useRef<Preview>(undefined);
  useEffect(() => {
    if (!ready) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const asked = api.post<Preview>(`/runs/${segment(run.id)}/rerun`, { dry_run: true, changes: JSON.parse(text) as Changes });
      asked.then(
        (shown) => {
          last.current = shown;
          if (!stop.signal.aborted) setAnswer({ text, shown });
        },
        (problem: ApiError) => !stop.signal.aborted && setAnswer({ text, problem }),
      );
    }, last.current ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [run.id, text, ready]);
  const fresh = answer?.text === text;
  return { shown: last.current, problem: fresh ? answer.problem : undefined, fresh: fresh && !answer.problem };
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length > 12) return `${value.length} items`;
  return Array.isArray(value) ? value.map(String).join(" ") : JSON.stringify(value);
}

function Differences({ changes }: { changes: Preview["changes"] }) {
  if (changes.length === 0) return <p className="note">Nothing differs: the same code, command, versions and compute.</p>;
  return (
    <div className="scroll" role="region" aria-label="What differs" tabIndex={0}>
      <table className="again-changes">
        <thead>
          <tr>
            <th>What differs</th>
            <th>Before</th>
            <th>Now</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.name}>
              <th scope="row">{change.name}</th>
              <td>{valueText(change.from)}</td>
              <td>{valueText(change.to)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Fields({ run, script, draft, wrong, onDraft }: { run: Run; script: string | undefined; draft: Draft; wrong: Partial<Record<keyof Draft, string>>; onDraft: (draft: Draft) => void }) {
  const computes = useResource<Schemas["ComputeList"]>(`computes/${run.workspace}`, () => api.get(`/workspaces/${segment(run.workspace)}/computes`));
  const names = computes.data?.items.map((one) => one.name) ?? [];
  const all = draft.compute && !names.includes(draft.compute) ? [draft.compute, ...names] : names;
  const text = (field: keyof Draft) => ({
    type: "text",
    value: draft[field],
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => onDraft({ ...draft, [field]: event.target.value }),
  });
  return (
    <>
      <Field label={script ? "Arguments" : "Command"} wrong={wrong.line} help={script ? `of ${script}` : "as a shell takes it"}>
        {(ids) => <textarea {...ids} {...text("line")} rows={2} className="mono" />}
      </Field>
      <div className="again-row">
        <Field label="Compute">
          {(ids) => (
            <select {...ids} value={draft.compute} onChange={(event) => onDraft({ ...draft, compute: event.target.value })}>
              {all.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Nodes" wrong={wrong.nodes}>
          {(ids) => <input {...ids} {...text("nodes")} inputMode="numeric" />}
        </Field>
      </div>
      <div className="again-row">
        <Field label="Environment" wrong={wrong.environment} help={draft.environment ? "name or name:version" : "that of the run before; or a name"}>
          {(ids) => <input {...ids} {...text("environment")} />}
        </Field>
        <Field label="Experiment" wrong={wrong.experiment}>
          {(ids) => <input {...ids} {...text("experiment")} />}
        </Field>
      </div>
      <Field label="Variables" wrong={wrong.variables} help="Set besides, or anew: one NAME=value a line. The others stay.">
        {(ids) => <textarea {...ids} {...text("variables")} rows={2} className="mono" />}
      </Field>
    </>
  );
}

const codeText = (snapshot: string | null | undefined) => (snapshot ? <code title={snapshot}>{snapshot.slice(0, 12)}</code> : "no code");

function Repeat({ run, title, onClose }: { run: Run; title: string; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>();
  const [before, setBefore] = useState<Spec>();
  const { changes, wrong } = useMemo(() => (before && draft ? changesOf(before, draft) : { changes: {}, wrong: {} }), [before, draft]);
  const ready = Object.keys(wrong).length === 0;
  const { shown, problem, fresh } = usePreview(run, changes, ready);
  useEffect(() => {
    if (!shown || draft) return;
    setBefore(shown.before);
    setDraft(draftOf(shown.before));
  }, [shown, draft]);
  const start = async () => {
    const made = await api.post<Run>(`/runs/${segment(run.id)}/rerun`, { changes });
    notify("Submitted: this is the new run.");
    navigate(runPath(made.id));
  };
  return (
    <FormDialog title={title} action="Run it" ready={ready && fresh} act={start} onClose={onClose}>
      {!draft && !problem && <Loading what="what would run" />}
      {draft && before && (
        <>
          <p className="note">
            Code {codeText(before.snapshot)} of <bdi>{run.display_name || run.id}</bdi>. Nothing starts before you say so.
          </p>
          <Fields run={run} script={before.script} draft={draft} wrong={wrong} onDraft={setDraft} />
          {shown && !problem && <Differences changes={shown.changes} />}
        </>
      )}
      {problem && <Problem error={problem} />}
    </FormDialog>
  );
}

/** The code of a run that cannot be repeated, as a new run. */
function Begin({ run, title, entry, onClose }: { run: Run; title: string; entry: string | undefined; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ line: entry ? `python ${entry}` : "", experiment: run.experiment, compute: "local", nodes: "1", environment: "", variables: "" });
  const spec: Spec = { ...newRun(run.snapshot!, draft), command: "-" };
  const wrong = { ...changesOf(spec, draft).wrong };
  delete wrong.environment;
  const start = async () => {
    const made = await api.post<Run>(`/workspaces/${segment(run.workspace)}/runs`, newRun(run.snapshot!, draft));
    notify("Submitted: this is the new run.");
    navigate(runPath(made.id));
  };
  return (
    <FormDialog title={title} action="Run it" ready={Object.keys(wrong).length === 0 && draft.line.trim() !== ""} act={start} onClose={onClose}>
      <p className="note">Code {codeText(run.snapshot)}. Nothing starts before you say so.</p>
      <Fields run={run} script={undefined} draft={draft} wrong={wrong} onDraft={setDraft} />
    </FormDialog>
  );
}

export function AgainDialog({ run, title, entry, onClose }: { run: Run; title: string; entry?: string | undefined; onClose: () => void }) {
  return isRepeatable(run) ? <Repeat run={run} title={title} onClose={onClose} /> : <Begin run={run} title={title} entry={entry} onClose={onClose} />;
}
