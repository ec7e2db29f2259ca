// The search field of a log, how many lines were found, and the list of them.
import { useState, type RefObject } from "react";
import { count } from "../../../lib/format";
import { Button } from "../../../ui/base";
import { MOST_MATCHES, type Found } from "./search";

const LISTED = 300;

interface FindBarProps {
  text: string;
  found: Found | undefined;
  at: number | undefined;
  field: RefObject<HTMLInputElement | null>;
  onText: (text: string) => void;
  onStep: (back: boolean) => void;
  onPick: (offset: number) => void;
}

export function FindBar({ text, found, at, field, onText, onStep, onPick }: FindBarProps) {
  const [open, setOpen] = useState(false);
  const none = !found || found.matches.length === 0;
  return (
    <div className="log-find">
      <input
        ref={field}
        type="search"
        aria-label="Search in the log"
        placeholder="Search in the log"
        maxLength={500}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onStep(event.shiftKey);
          if (event.key === "Escape") onText("");
        }}
      />
      {text !== "" && (
        <>
          <Button small kind="quiet" aria-label="Previous match" title="Previous match (Shift+Enter)" disabled={none} onClick={() => onStep(true)}>
            ↑
          </Button>
          <Button small kind="quiet" aria-label="Next match" title="Next match (Enter)" disabled={none} onClick={() => onStep(false)}>
            ↓
          </Button>
          <span className="note" role="status">
            {said(found, at)}
          </span>
          {!none && (
            <Button small aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? "Hide the list" : "List"}
            </Button>
          )}
        </>
      )}
      {open && !none && (
        <ol className="log-matches" aria-label="Lines found">
          {found.matches.slice(0, LISTED).map((match) => (
            <li key={match.offset}>
              <button type="button" aria-current={match.offset === at ? "true" : undefined} onClick={() => onPick(match.offset)}>
                {
                  // eslint-disable-next-line no-control-regex
                  match.line.replace(/\x1b\[[0-9;:?]*[@-~]|[\x00-\x08\x0a-\x1f]/g, "").slice(0, 300) || "(empty)"
                }
              </button>
            </li>
          ))}
          {found.matches.length > LISTED && <li className="note">and {count(found.matches.length - LISTED)} more</li>}
        </ol>
      )}
    </div>
  );
}

function said(found: Found | undefined, at: number | undefined): string {
  if (!found) return "searching …";
  if (found.error) return found.error.message;
  const total = found.matches.length >= MOST_MATCHES ? `${count(MOST_MATCHES)} or more` : count(found.matches.length);
  const rest = found.done ? "" : `, searched ${Math.floor(found.searched * 100)} % …`;
  if (found.matches.length === 0) return found.done ? "not found" : `nothing yet${rest}`;
  const current = at === undefined ? -1 : found.matches.findIndex((match) => match.offset === at);
  return `${current >= 0 ? `${count(current + 1)} of ` : ""}${total} ${found.matches.length === 1 ? "line" : "lines"}${rest}`;
}
