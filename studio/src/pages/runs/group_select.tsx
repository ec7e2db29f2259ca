// By what the runs are grouped.
import { useState } from "react";
import { useRunColumns } from "./search_box";

const FIELDS = ["experiment", "status", "compute", "user"];

export function GroupSelect({ workspace, group, onChange }: { workspace: string; group: string; onChange: (group: string) => void }) {
  const [used, setUsed] = useState(false);
  const known = useRunColumns(workspace, used).data;
  const named = [...(known?.params ?? []).map((name) => `params.${name}`), ...(known?.tags ?? []).map((name) => `tags.${name}`)];
  const others = group !== "" && !FIELDS.includes(group) && !named.includes(group) ? [group, ...named] : named;
  const ask = () => setUsed(true);
  return (
    <label className="runs-group-select">
      Group by
      <select value={group} onFocus={ask} onPointerEnter={ask} onChange={(event) => onChange(event.target.value)}>
        <option value="">nothing</option>
        {FIELDS.map((field) => (
          <option key={field}>{field}</option>
        ))}
        {others.length > 0 && (
          <optgroup label="Parameters and tags">
            {others.map((field) => (
              <option key={field}>{field}</option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}
