// A JSON value that opens level by level; what is closed is not on the page.
import { useState } from "react";
import { count } from "../../../lib/format";
import { Button } from "../../../ui/base";

const STEP = 100;

export function JsonTree({ value }: { value: unknown }) {
  return (
    <div className="json" role="region" aria-label="JSON" tabIndex={0}>
      <JsonNode value={value} open />
    </div>
  );
}

function JsonNode({ name, value, open = false }: { name?: string; value: unknown; open?: boolean }) {
  const [isOpen, setOpen] = useState(open);
  const [most, setMost] = useState(STEP);
  const label = name === undefined ? null : <span className="json-name">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className="json-leaf">
        {label}
        <span className={`json-${value === null ? "null" : typeof value}`}>{JSON.stringify(value)}</span>
      </div>
    );
  }
  const entries = Array.isArray(value) ? value.map((one, i) => [String(i), one] as const) : Object.entries(value);
  const said = Array.isArray(value) ? `[${count(entries.length)}]` : `{${count(entries.length)}}`;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className="note">{said}</span>
      </summary>
      {isOpen && (
        <div className="json-inner">
          {entries.slice(0, most).map(([key, one]) => (
            <JsonNode key={key} name={key} value={one} />
          ))}
          {entries.length > most && (
            <Button small kind="quiet" onClick={() => setMost(most + 10 * STEP)}>
              Show more; {count(entries.length - most)} are left
            </Button>
          )}
        </div>
      )}
    </details>
  );
}
