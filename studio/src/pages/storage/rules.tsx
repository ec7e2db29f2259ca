// Retention rules: what they remove of whom, and what a new one would remove now.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { bytes, count } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { useMay } from "../../lib/session";
import { Button, Problem } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { attempt } from "../../ui/notify";

type Rule = Schemas["RetentionRule"];
const DAY = 86_400;
const PARTS = ["outputs", "logs", "samples"] as const;

function NewRule({ path, onDone, onClose }: { path: string; onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [what, setWhat] = useState<(typeof PARTS)[number]>("outputs");
  const [days, setDays] = useState("90");
  const [experiment, setExperiment] = useState("");
  const [tag, setTag] = useState("");
  const [effect, setEffect] = useState<Schemas["RetentionPreview"]>();
  const body = (): Schemas["SaveRetentionRule"] => ({
    what,
    older_than_seconds: Math.round(Number(days) * DAY),
    ...(experiment ? { experiment } : {}),
    ...(tag ? { tag } : {}),
  });
  const look = () => void attempt(api.post<Schemas["RetentionPreview"]>(`${path}/retention-preview`, body()).then(setEffect));
  const save = async () => {
    await api.put(`${path}/retention/${segment(name)}`, body());
    onDone();
  };
  return (
    <FormDialog title="New retention rule" action="Save" act={save} onClose={onClose}>
      <label>
        Name
        <input required value={name} pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" onChange={(event) => setName(event.target.value)} />
      </label>
      <label>
        Removes
        <select value={what} onChange={(event) => setWhat(event.target.value as typeof what)}>
          {PARTS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Days after the end of a run
        <input required type="number" min="0" step="any" value={days} onChange={(event) => setDays(event.target.value)} />
      </label>
      <label>
        Only of the experiment
        <input value={experiment} onChange={(event) => setExperiment(event.target.value)} />
      </label>
      <label>
        Only with the tag
        <input value={tag} placeholder="key or key=value" onChange={(event) => setTag(event.target.value)} />
      </label>
      <p className="note" role="status">
        {effect ? `It would remove the ${what} of ${count(effect.runs)} runs now, ${bytes(effect.bytes)}.` : "Runs that models are registered from lose nothing."}{" "}
        <Button small onClick={look}>
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
    <section aria-label="Retention rules">
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
