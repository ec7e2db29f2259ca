// Chooses a run by a few letters of its name, experiment or number.
import { useEffect, useId, useRef, useState } from "react";
import { api, segment, type RunRow, type Schemas } from "../lib/api";
import { useKept, useResource } from "../lib/resource";
import { Status, Time } from "./base";
import "./run_picker.css";

interface RunPickerProps {
  workspace: string;
  label: string;
  /** A run that cannot be chosen, since it is the one at hand. */
  except: string;
  onPick: (id: string) => void;
}

export function RunPicker({ workspace, label, except, onPick }: RunPickerProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), 150);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const outside = (event: MouseEvent) => !root.current?.contains(event.target as Node) && setOpen(false);
    document.addEventListener("mousedown", outside);
    return () => document.removeEventListener("mousedown", outside);
  }, []);
  const answer = useResource(open ? `pick/${workspace}/${asked}` : null, () =>
    api.get<Schemas["RunTable"]>(`/workspaces/${segment(workspace)}/run-table`, { q: asked, limit: 12 }),
  );
  const rows: RunRow[] = (useKept(answer.data)?.items ?? []).filter((row) => row.id !== except);
  const pick = (row: RunRow | undefined) => {
    if (!row) return;
    setOpen(false);
    setText("");
    onPick(row.id);
  };
  return (
    <div className="run-picker" ref={root}>
      <input
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-activedescendant={open && rows[at] ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        placeholder={label}
        value={text}
        onFocus={() => setOpen(true)}
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") setOpen(false);
          else if (event.key === "ArrowDown") {
            setOpen(true);
            setAt(Math.min(rows.length - 1, at + 1));
          } else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (event.key === "Enter") pick(rows[at]);
          else if (event.key === "Tab") {
            setOpen(false);
            return;
          } else return;
          event.preventDefault();
        }}
      />
      {open && (
        <div className="run-picker-box">
          <div id={`${id}-list`} role="listbox" aria-label="Runs">
            {rows.map((row, i) => (
              <div key={row.id} id={`${id}-${i}`} role="option" aria-selected={i === at} onMouseEnter={() => setAt(i)} onClick={() => pick(row)}>
                <bdi>{row.display_name || row.id}</bdi>
                <span className="note">
                  {row.experiment} {row.number}
                </span>
                <Status status={row.status} />
                <span className="note">
                  <Time at={row.created_at} />
                </span>
              </div>
            ))}
          </div>
          {answer.error ? <p className="note">{answer.error.message}</p> : rows.length === 0 && <p className="note">{answer.loading ? "Looking …" : "No other run is like that."}</p>}
        </div>
      )}
    </div>
  );
}
