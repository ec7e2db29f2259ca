// The search box: a small query language, with completion by keyboard.
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { api, segment, type ApiError, type Schemas } from "../../lib/api";
import { useResource } from "../../lib/resource";
import { accept, complete, fieldAt, isHalf, type Completion, type Known } from "./complete";
import { SearchHelp } from "./search_help";

/** Milliseconds. */
const PAUSE = 120;

/** Names are asked for when the box is first used. */
export function useRunColumns(workspace: string, on: boolean) {
  return useResource(on ? `run-columns ${workspace}` : null, () => api.get<Schemas["RunColumns"]>(`/workspaces/${segment(workspace)}/run-columns`));
}

function useKnown(workspace: string, used: boolean, field: string | null): Known {
  const columns = useRunColumns(workspace, used).data;
  const values = useResource(used && field ? `run-values ${workspace} ${field}` : null, () =>
    api.get<Schemas["RunGroups"]>(`/workspaces/${segment(workspace)}/run-groups`, { by: field }),
  ).data;
  return {
    metrics: columns?.metrics ?? [],
    params: columns?.params ?? [],
    tags: columns?.tags ?? [],
    values: (asked) => (asked === field ? (values?.items ?? []).flatMap(({ value }) => (value ? [value] : [])) : []),
  };
}

export function SearchBox({ workspace, q, onChange, error, input }: {
  workspace: string;
  q: string;
  onChange: (q: string) => void;
  error: ApiError | undefined;
  input: RefObject<HTMLInputElement | null>;
}) {
  const id = useId();
  const [text, setText] = useState(q);
  const [caret, setCaret] = useState(q.length);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [used, setUsed] = useState(false);
  const sent = useRef(q);
  const sentAt = useRef(-PAUSE);
  const moveTo = useRef<number | null>(null);

  // "Back", a saved view or a cleared filter change the query from outside.
  if (q !== sent.current) {
    sent.current = q;
    setText(q);
  }
  // The first change goes out at once; what is typed right after it waits for a pause.
  useEffect(() => {
    if (text === sent.current || isHalf(text)) return;
    const send = () => {
      sent.current = text;
      sentAt.current = performance.now();
      onChange(text);
    };
    if (performance.now() - sentAt.current > PAUSE) return send();
    const timer = setTimeout(send, PAUSE);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  useLayoutEffect(() => {
    if (moveTo.current === null) return;
    input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = null;
  });

  const send = (query: string) => {
    if (query === sent.current) return;
    sent.current = query;
    onChange(query);
  };

  const known = useKnown(workspace, used, fieldAt(text, caret));
  const offer = complete(text, caret, known);
  const items = open ? offer.items : [];
  const choose = (choice: Completion) => {
    const next = accept(text, offer, choice);
    moveTo.current = next.caret;
    setText(next.text);
    setCaret(next.caret);
    setActive(-1);
    setOpen(/[.:=<>]$/.test(choice.text));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) return setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive(items.length === 0 ? -1 : (active + step + items.length + (active < 0 && step < 0 ? 1 : 0)) % items.length);
    } else if ((event.key === "Enter" || event.key === "Tab") && items[active]) {
      event.preventDefault();
      choose(items[active]);
    } else if (event.key === "Enter") {
      setOpen(false);
      send(text);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (items.length > 0) setOpen(false);
      else input.current?.blur();
    }
  };

  return (
    <div className="runs-search" role="search">
      <div className="runs-search-row">
        <input
          ref={input}
          type="search"
          role="combobox"
          aria-label="Search runs"
          aria-expanded={items.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={items[active] ? `${id}-${active}` : undefined}
          aria-invalid={error !== undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          placeholder="Search, for example: birds status:failed metrics.loss<0.3"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onFocus={() => setUsed(true)}
          onBlur={() => {
            setOpen(false);
            send(text);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onChange={(event) => {
            setText(event.target.value);
            setCaret(event.target.selectionStart ?? event.target.value.length);
            setActive(-1);
            setOpen(event.target.value !== "");
          }}
          onKeyDown={onKeyDown}
        />
        {text === "" && (
          <kbd className="runs-slash" aria-hidden="true">
            /
          </kbd>
        )}
        <ul id={`${id}-list`} role="listbox" aria-label="Suggestions" className="runs-offer" hidden={items.length === 0}>
          {items.map((item, i) => (
            <li
              key={item.text}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              onMouseDown={(event) => {
                event.preventDefault();
                choose(item);
              }}
            >
              <code>{item.text}</code> <span className="note">{item.hint}</span>
            </li>
          ))}
        </ul>
      </div>
      <SearchHelp
        key={q}
        onExample={(example) => {
          setText(example);
          send(example);
          input.current?.focus();
        }}
      />
      {error && (
        <p id={`${id}-error`} className="runs-search-error" role="alert">
          {error.message}
        </p>
      )}
    </div>
  );
}
