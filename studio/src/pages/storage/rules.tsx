// Retention rules: what they remove of whom, and what a new one would remove now.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { bytes, count } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { useMay } from "../../lib/session";
import { Button, Problem } from "../../ui/base";
import { Field, FormDialog } from "../../ui/form";
import { attempt } from "../../ui/notify";

type Rule = Schemas["RetentionRule"];
const DAY = 86_400;
const PARTS = ["outputs", "logs", "samples"] as const;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

function NewRule({ path, onDone, onClose }: { path: string; onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [what, setWhat] = useState<(typeof PARTS)[number]>("outputs");
  const [days, setDays] = useState("90");
  const [experiment, setExperiment] = useState("");
  const [tag, setTag] = useState("");
  const [effect, setEffect] = useState<{ of: string; found: Schemas["RetentionPreview"] }>();
  const wrong = {
    name: name === "" || NAME.test(name) ? undefined : "Letters, digits, dots, - and _",
    days: days.trim() !== "" && Number(days) >= 0 ? undefined : "A number of days",
  };
  const ready = name !== "" && !wrong.name && !wrong.days;
  const body = (): Schemas["SaveRetentionRule"] => ({
    what,
    older_than_seconds: Math.round(Number(days) * DAY),
    ...(experiment ? { experiment } : {}),
    ...(tag ? { tag } : {}),
  });
  const asked = JSON.stringify(body());
  const look = () => void attempt(api.post<Schemas["RetentionPreview"]>(`${path}/retention-preview`, body()).then((found) => setEffect({ of: asked, found })));
  const shown = effect?.of === asked ? effect.found : undefined;
  const save = async () => {
    await api.put(`${path}/retention/${segment(name)}`, body());
    onDone();
  };
  return (
    <FormDialog title="New retention rule" action="Save" ready={ready} act={save} onClose={onClose}>
      <Field label="Name" wrong={wrong.name}>
        {(ids) => <input {...ids} type="text" required value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <div className="form-pair">
        <Field label="Removes">
          {(ids) => (
            <select {...ids} value={what} onChange={(event) => setWhat(event.target.value as typeof what)}>
              {PARTS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Days after the end of a run" wrong={wrong.days}>
          {(ids) => <input {...ids} type="number" required min="0" step="any" value={days} onChange={(event) => setDays(event.target.value)} />}
        </Field>
        <Field label="Only of the experiment">{(ids) => <input {...ids} type="text" value={experiment} onChange={(event) => setExperiment(event.target.value)} />}</Field>
        <Field label="Only with the tag">
          {(ids) => <input {...ids} type="text" value={tag} placeholder="key or key=value" onChange={(event) => setTag(event.target.value)} />}
        </Field>
      </div>
      <p className="note" role="status">
        {shown ? `It would remove the ${what} of ${count(shown.runs)} runs now, ${bytes(shown.bytes)}.` : "Runs that models are registered from lose nothing."}{" "}
        <Button small disabled={wrong.days !== undefined} onClick={look}>
          What would go now?
        </Button>
      </p>
    </FormDialog>
  );
}

export function Rules({ workspace, onChange }: { workspace: string; onChange: () => void }) {
  const path = `/workspaces/${segment(workspace)}`;
  const owns = useMay("owner");
  const [making, setMaking] = useState(false);
  const rules = useResource<Schemas["RetentionRuleList"]>(`retention/${workspace}`, () => api.get(`${path}/retention`));
  const items = rules.data?.items ?? [];
  const reload = () => {
    rules.reload();
    onChange();
  };
  const remove = async (rule: Rule) => {
    if (await attempt(api.remove(`${path}/retention/${segment(rule.name)}`), `${rule.name} is gone; what it removed does not come back.`)) reload();
  };
  return (
    <section className="storage-part" aria-label="Retention rules">
      <div className="head">
        <h2>Retention rules</h2>
        {owns && (
          <Button small className="spring" onClick={() => setMaking(true)}>
            New rule
          </Button>
        )}
      </div>
      {rules.error && <Problem error={rules.error} retry={reload} />}
      {rules.data && items.length === 0 && <p className="note">None: what runs left behind is kept until they are deleted.</p>}
      {items.length > 0 && (
        <ul className="storage-rules">
          {items.map((rule) => (
            <li key={rule.name}>
              <strong>{rule.name}</strong>: {rule.what} of {rule.experiment ? `runs of ${rule.experiment}` : "all runs"}
              {rule.tag && ` with the tag ${rule.tag}`}, {Math.round((rule.older_than_seconds / DAY) * 10) / 10} days after their end{" "}
              {owns && (
                <Button small kind="quiet" aria-label={`Remove the rule ${rule.name}`} onClick={() => void remove(rule)}>
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {making && <NewRule path={path} onDone={reload} onClose={() => setMaking(false)} />}
    </section>
  );
}
