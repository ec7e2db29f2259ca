// The limits of a compute, in a box: for one that is there, and as part of making one.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { duration } from "../../lib/format";
import { notify } from "../../ui/notify";
import { Field, FormDialog } from "../../ui/form";
import { changedLimits, checkLimits, fieldsOf, type LimitFields, type LimitProblems } from "./limits";

const TEXTS: { name: keyof LimitFields; label: string; help: (value: string) => string }[] = [
  { name: "min", label: "Least nodes", help: () => "Kept up when there is nothing to do." },
  { name: "max", label: "Most nodes", help: () => "Never more at a time." },
  { name: "idle", label: "Idle seconds", help: (value) => `A node without work ends after ${duration(Number(value))}.` },
  { name: "perUser", label: "Nodes per user", help: () => "Most that one user holds; 0 is no limit." },
  { name: "runsPerUser", label: "Runs per user", help: () => "Most of one user at a time; 0 is no limit." },
];

export function LimitInputs({ fields, problems, onChange }: { fields: LimitFields; problems: LimitProblems; onChange: (fields: LimitFields) => void }) {
  return (
    <div className="form-pair">
      {TEXTS.map(({ name, label, help }) => (
        <Field key={name} label={label} help={help(fields[name])} wrong={problems[name]}>
          {(ids) => (
            <input
              {...ids}
              type="text"
              inputMode="numeric"
              name={name}
              autoComplete="off"
              value={fields[name]}
              onChange={(event) => onChange({ ...fields, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

export function LimitsDialog({ compute, onDone, onClose }: { compute: Schemas["Compute"]; onDone: () => void; onClose: () => void }) {
  const [before] = useState(() => fieldsOf(compute));
  const [fields, setFields] = useState(before);
  const problems = checkLimits(fields);
  const save = async () => {
    const change = changedLimits(before, fields);
    if (Object.keys(change).length === 0) return;
    await api.patch(`/workspaces/${segment(compute.workspace)}/computes/${segment(compute.name)}`, change);
    notify(`${compute.name} has its new limits`);
    onDone();
  };
  return (
    <FormDialog title={`Limits of ${compute.name}`} action="Save" ready={Object.keys(problems).length === 0} act={save} onClose={onClose}>
      <LimitInputs fields={fields} problems={problems} onChange={setFields} />
      <p className="note">Runs that already have nodes keep them. Waiting ones are looked at again at once.</p>
    </FormDialog>
  );
}
