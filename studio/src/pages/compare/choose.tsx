// A select over what runs have values of, grouped.
import type { Dimension } from "./dimensions";

const GROUPS = [
  ["Parameters", "params."],
  ["Metrics", "metrics."],
  ["Other", ""],
] as const;

export function ChooseDimension({ label, value, dimensions, none, onChange }: { label: string; value: string; dimensions: Dimension[]; none?: string; onChange: (id: string) => void }) {
  const groupOf = (id: string) => GROUPS.find(([, prefix]) => id.startsWith(prefix))?.[0];
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {GROUPS.map(([group]) => {
          const members = dimensions.filter((one) => groupOf(one.id) === group);
          return (
            members.length > 0 && (
              <optgroup key={group} label={group}>
                {members.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.label}
                  </option>
                ))}
              </optgroup>
            )
          );
        })}
      </select>
    </label>
  );
}
