// The note of an experiment, in a box of its own.
import { useState } from "react";
import type { Schemas } from "../../lib/api";
import { Button, Dialog } from "../../ui/base";
import { NOTE_TAG, NoteCard } from "../../ui/note";

interface Props {
  experiment: Schemas["Experiment"];
  may: boolean;
  onChange: (change: Schemas["UpdateExperiment"]) => Promise<boolean>;
}

export function NoteButton({ experiment, may, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const text = experiment.tags[NOTE_TAG] ?? "";
  if (text === "" && !may) return null;
  return (
    <>
      <Button small kind="quiet" onClick={() => setOpen(true)} aria-label={`${text ? "Note on" : "Write a note on"} ${experiment.name}`} title={text.slice(0, 200) || undefined}>
        {text ? "Note" : "+ note"}
      </Button>
      {open && (
        <Dialog title={`Note on ${experiment.name}`} onClose={() => setOpen(false)}>
          <NoteCard title="" text={text} may={may} most={5000} onSave={(note) => onChange(note === "" ? { remove_tags: [NOTE_TAG] } : { tags: { [NOTE_TAG]: note } })} />
        </Dialog>
      )}
    </>
  );
}
