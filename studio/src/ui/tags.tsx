// Tags, edited in place: type key or key=value and press Enter; ✕ takes one away.
import { useState } from "react";
import { Button } from "./base";

type Tags = Record<string, string | null>;

export function TagList({ tags }: { tags: Tags }) {
  const entries = Object.entries(tags);
  if (entries.length === 0) return <>–</>;
  return (
    <span className="row">
      {entries.map(([key, value]) => (
        <span key={key} className="tag" title={value === null ? key : `${key}=${value}`}>
          {value === null ? key : `${key}=${value}`}
        </span>
      ))}
    </span>
  );
}

/** `onChange` is told what to set and what to take away. */
export function TagEditor({ tags, onChange }: { tags: Tags; onChange: (change: { tags?: Tags; remove_tags?: string[] }) => void }) {
  const [draft, setDraft] = useState<string>();
  const add = () => {
    const text = draft?.trim() ?? "";
    setDraft(undefined);
    if (!text) return;
    const equals = text.indexOf("=");
    onChange({ tags: equals > 0 ? { [text.slice(0, equals).trim()]: text.slice(equals + 1).trim() } : { [text]: null } });
  };
  return (
    <span className="row">
      {Object.entries(tags).map(([key, value]) => {
        const text = value === null ? key : `${key}=${value}`;
        return (
          <span key={key} className="tag" title={text}>
            <button type="button" className="copy" title="Change it" onClick={() => setDraft(value === null ? `${key}=` : text)}>
              {text}
            </button>{" "}
            <button type="button" className="copy" aria-label={`Remove the tag ${key}`} onClick={() => onChange({ remove_tags: [key] })}>
              ✕
            </button>
          </span>
        );
      })}
      {draft === undefined ? (
        <Button kind="quiet" small onClick={() => setDraft("")}>
          + tag
        </Button>
      ) : (
        <input
          type="text"
          autoFocus
          aria-label="Tag, as key or key=value"
          placeholder="key=value"
          value={draft}
          size={16}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key === "Enter") add();
            if (event.key === "Escape") setDraft(undefined);
          }}
        />
      )}
    </span>
  );
}
