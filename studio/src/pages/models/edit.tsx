// What can be changed of a version: stage, tags; properties are only added.
import { useState } from "react";
import type { Schemas } from "../../lib/api";
import { Button } from "../../ui/base";
import { STAGES, stageChange, stageOf } from "./stage";

type Model = Schemas["Model"];
export type ChangeModel = (change: Schemas["UpdateModel"], done?: string) => Promise<boolean>;

export function StageSelect({ model, onChange }: { model: Model; onChange: ChangeModel }) {
  const stage = stageOf(model.tags);
  const known = STAGES.some((one) => one === stage) ? STAGES : [...STAGES, stage];
  return (
    <select aria-label="Stage" value={stage} onChange={(event) => void onChange(stageChange(event.target.value), `Version ${model.version} is now: ${event.target.value}`)}>
      {known.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

export function Properties({ model, may, onChange }: { model: Model; may: boolean; onChange: ChangeModel }) {
  const [draft, setDraft] = useState<string>();
  const entries = Object.entries(model.properties);
  const add = () => {
    const [key, ...value] = (draft ?? "").split("=");
    if (!key?.trim() || value.length === 0) return setDraft(undefined);
    void onChange({ properties: { [key.trim()]: value.join("=").trim() } }).then((done) => done && setDraft(undefined));
  };
  return (
    <span className="row">
      {entries.length === 0 && <span className="note">none</span>}
      {entries.map(([key, value]) => (
        <span key={key} className="tag" title={`${key}=${String(value)}`}>
          {key}={String(value)}
        </span>
      ))}
      {may && draft === undefined && (
        <Button kind="quiet" small title="A property cannot be changed once it is set" onClick={() => setDraft("")}>
          + property
        </Button>
      )}
      {draft !== undefined && (
        <input
          type="text"
          autoFocus
          aria-label="Property, as key=value"
          placeholder="key=value, for good"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") add();
            if (event.key === "Escape") setDraft(undefined);
          }}
          onBlur={() => setDraft(undefined)}
        />
      )}
    </span>
  );
}
