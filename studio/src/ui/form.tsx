// Boxes that ask for something: what is wrong stands beside the field, what the server refused above the buttons.
import { useId, useState, type FormEvent, type ReactElement, type ReactNode } from "react";
import { Button, Dialog, Problem } from "./base";
import "./form.css";

/** One labelled control. The child gets its id and what describes it. */
export function Field({ label, help, wrong, children }: { label: string; help?: ReactNode; wrong?: string | undefined; children: (ids: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ReactElement }) {
  const id = useId();
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-help`, "aria-invalid": wrong !== undefined })}
      <span id={`${id}-help`} className={wrong ? "form-wrong" : "note"}>
        {wrong ?? help}
      </span>
    </div>
  );
}

interface FormDialogProps {
  title: string;
  action: string;
  kind?: "main" | "danger";
  /** Whether all fields are right. */
  ready?: boolean;
  /** Does it; the box closes if it worked, and says why if it did not. */
  act: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog({ title, action, kind = "main", ready = true, act, onClose, children }: FormDialogProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setProblem(undefined);
    act().then(onClose, (error: Error) => {
      setProblem(error);
      setBusy(false);
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="form-dialog" onSubmit={submit} noValidate>
        {children}
        {problem && <Problem error={problem} />}
        <div className="form-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={kind} type="submit" disabled={!ready || busy}>
            {busy ? "Working …" : action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
