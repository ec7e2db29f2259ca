// Tags of a run as chips; a click edits them in place.
import { createContext, useContext, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { createPortal } from "react-dom";
import { api, segment, type Run, type RunRow } from "../../lib/api";
import { useMay } from "../../lib/session";
import { attempt, notify } from "../../ui/notify";

type Tags = RunRow["tags"];
export interface TagEditing {
  /** The run whose tags are being edited. */
  id: string | null;
  start: (id: string | null) => void;
  /** Shows a change at once, before the server has answered. */
  show: (id: string, tags: Tags) => void;
}
export const TagEditingContext = createContext<TagEditing>({ id: null, start: () => {}, show: () => {} });

/** "key=value", or "key" alone for a tag without a value. */
export function parseTag(text: string): [string, string | null] | null {
  const at = text.indexOf("=");
  const key = (at < 0 ? text : text.slice(0, at)).trim();
  return key === "" ? null : [key, at < 0 ? null : text.slice(at + 1).trim()];
}
const shown = (key: string, value: string | null): string => (value === null ? key : `${key}=${value}`);

export function TagsCell({ row }: { row: RunRow }) {
  const editing = useContext(TagEditingContext);
  const may = useMay("contributor");
  const button = useRef<HTMLButtonElement>(null);
  const tags = Object.entries(row.tags);
  const chips = tags.map(([key, value]) => (
    <span key={key} className="tag" title={shown(key, value)}>
      {shown(key, value)}
    </span>
  ));
  if (!may) return <span className="runs-tags">{chips}</span>;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="runs-tags runs-tags-edit"
        aria-label={`Edit the tags of ${row.display_name}${tags.length ? `: ${tags.map(([key, value]) => shown(key, value)).join(", ")}` : ""}`}
        onClick={() => editing.start(row.id)}
      >
        {chips}
        <span className="runs-tags-add" aria-hidden="true">
          {tags.length ? "✎" : "+ tag"}
        </span>
      </button>
      {editing.id === row.id && <TagEditor row={row} opener={button} />}
    </>
  );
}

/** Outside the table, which would cut it off. */
function TagEditor({ row, opener }: { row: RunRow; opener: RefObject<HTMLButtonElement | null> }) {
  const { start, show } = useContext(TagEditingContext);
  const [text, setText] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => {
    const cell = opener.current!.getBoundingClientRect();
    const style = box.current!.style;
    const { offsetWidth: width, offsetHeight: height } = box.current!;
    style.left = `${Math.max(8, Math.min(cell.left, innerWidth - width - 8))}px`;
    style.top = `${cell.top + height + 8 > innerHeight ? cell.bottom - height : cell.top}px`;
    input.current!.focus();
    const outside = (event: Event) => !box.current?.contains(event.target as Node) && start(null);
    document.addEventListener("mousedown", outside);
    document.addEventListener("scroll", outside, true);
    return () => {
      document.removeEventListener("mousedown", outside);
      document.removeEventListener("scroll", outside, true);
    };
  }, [start, opener]);

  const send = async (tags: Tags, change: { tags?: Tags; remove_tags?: string[] }) => {
    const before = row.tags;
    show(row.id, tags);
    const sent = api.patch<Run>(`/runs/${segment(row.id)}`, change);
    if (await attempt(sent)) show(row.id, (await sent).tags);
    else show(row.id, before);
  };
  const add = () => {
    const tag = parseTag(text);
    if (!tag) return notify("Write a tag as key=value.", true);
    setText("");
    void send({ ...row.tags, [tag[0]]: tag[1] }, { tags: { [tag[0]]: tag[1] } });
  };
  const remove = (key: string) => {
    const { [key]: _, ...rest } = row.tags;
    void send(rest, { remove_tags: [key] });
    input.current?.focus();
  };
  const close = () => {
    start(null);
    opener.current?.focus();
  };

  return createPortal(
    <div
      ref={box}
      className="runs-tag-editor"
      role="group"
      aria-label={`Tags of ${row.display_name}`}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape") close();
      }}
    >
      {Object.entries(row.tags).map(([key, value]) => (
        <span key={key} className="tag">
          {shown(key, value)}{" "}
          <button type="button" aria-label={`Remove the tag ${key}`} onClick={() => remove(key)}>
            ✕
          </button>
        </span>
      ))}
      <input
        ref={input}
        type="text"
        aria-label="New tag, as key=value"
        placeholder="key=value"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          if (text.trim() === "") close();
          else add();
        }}
      />
      <span className="note">Enter adds, Escape closes</span>
    </div>,
    document.body,
  );
}
