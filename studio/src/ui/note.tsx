// A note in markdown on a run, an experiment or a model: read by all, written by who may.
import { useId, useState } from "react";
import { Button } from "./base";
import { lazily } from "./lazily";
import type { MarkdownProps } from "./markdown";
import "./markdown/markdown.css";

const { Part: Markdown } = lazily<MarkdownProps>("the note", () => import("./markdown"));

/** The tag that holds the note of a run or an experiment; MLflow's name, so that notes come and go with it. */
export const NOTE_TAG = "mlflow.note.content";

/** The tags without the note, which is shown by itself. */
export function withoutNote<V>(tags: Record<string, V>): Record<string, V> {
  const { [NOTE_TAG]: _, ...rest } = tags;
  return rest;
}

interface Props {
  title: string;
  text: string;
  may: boolean;
  most: number;
  /** Resolves to whether it went well; an empty note is taken away. */
  onSave: (text: string) => Promise<boolean>;
}

/** `title` is its heading; empty: it stands where another one tells what it is. */
export function NoteCard({ title, text, may, most, onSave }: Props) {
  const [draft, setDraft] = useState<string>();
  const [busy, setBusy] = useState(false);
  const id = useId();
  if (draft === undefined) {
    return (
      <div className="note-card">
        <header>
          {title && <h2>{title}</h2>}
          {may && (
            <Button small kind="quiet" onClick={() => setDraft(text)}>
              {text ? "Edit" : "Write a note"}
              <span className="visually-hidden"> {title.toLowerCase()}</span>
            </Button>
          )}
        </header>
        {text ? <Markdown text={text} /> : !may && <p className="note">None.</p>}
      </div>
    );
  }
  const save = async () => {
    setBusy(true);
    if (await onSave(draft.trim())) setDraft(undefined);
    setBusy(false);
  };
  return (
    <div className="note-card">
      <header>{title && <h2>{title}</h2>}</header>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label className="visually-hidden" htmlFor={id}>
          {title || "Note"}, in markdown
        </label>
        <textarea
          id={id}
          autoFocus
          maxLength={most}
          placeholder={"Markdown: **bold**, `code`, [link](https://…), - list, | table |"}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setDraft(undefined);
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
          }}
        />
        <span className="row">
          <Button small kind="main" type="submit" disabled={busy}>
            Save
          </Button>
          <Button small onClick={() => setDraft(undefined)}>
            Cancel
          </Button>
          <span className="note">{draft.length > most * 0.8 && `${draft.length} of at most ${most} characters`}</span>
        </span>
      </form>
    </div>
  );
}
