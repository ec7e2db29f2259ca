// A few values beside each other, one of which holds.
import type { ReactNode } from "react";
import "./choice.css";

export interface ChoiceValue {
  id: string;
  title: ReactNode;
  hint?: string;
}

export function Choice({ label, values, value, onChange }: { label: string; values: readonly ChoiceValue[]; value: string; onChange: (id: string) => void }) {
  return (
    <div className="choice" role="group" aria-label={label}>
      {values.map((one) => (
        <button key={one.id} type="button" aria-pressed={one.id === value} title={one.hint} onClick={() => onChange(one.id)}>
          {one.title}
        </button>
      ))}
    </div>
  );
}
