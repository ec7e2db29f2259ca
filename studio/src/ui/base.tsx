// The small parts that every page is made of.
import { useEffect, useId, useRef, useState, type AnchorHTMLAttributes, type ButtonHTMLAttributes, type ReactNode } from "react";
import type { ApiError } from "../lib/api";
import { ago, fullTime } from "../lib/format";
import { navigate } from "../lib/route";
import { useCurrentInView } from "./current_in_view";

export function Link({ href, children, ...rest }: { href: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  return (
    <a
      href={href}
      {...rest}
      onClick={(event) => {
        rest.onClick?.(event);
        if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { kind?: "plain" | "main" | "danger" | "quiet"; small?: boolean };
export function Button({ kind = "plain", small, className = "", ...rest }: ButtonProps) {
  return <button type="button" className={`button ${kind} ${small ? "small" : ""} ${className}`} {...rest} />;
}

const MARKS: Record<string, string> = {
  Completed: "✓", Failed: "✕", Canceled: "⊘", CancelRequested: "⊘", Running: "▶", Queued: "◷", Provisioning: "↥",
  Preparing: "⚙", Starting: "·", Finalizing: "⤓", NotResponding: "!", NotStarted: "·",
};
export function Status({ status }: { status: string }) {
  return (
    <span className={`status status-${status}`} data-status={status}>
      <span aria-hidden="true">{MARKS[status] ?? "·"}</span> {status}
    </span>
  );
}
/** What a person looks for first comes first. */
export const STATUS_ORDER = ["Failed", "NotResponding", "Running", "Finalizing", "Provisioning", "Queued", "Preparing", "Starting", "NotStarted", "CancelRequested", "Completed", "Canceled"];
export { isOver } from "../lib/over";

export function Time({ at }: { at: string | null | undefined }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at)}
    </time>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p className="note loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Problem({ error, retry }: { error: ApiError | Error; retry?: () => void }) {
  return (
    <div className="problem" role="alert">
      <strong>That did not work.</strong> <span>{error.message}</span>
      {retry && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A value that one click copies. */
export function Copy({ text, children }: { text: string; children?: ReactNode }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      className="copy"
      title={`Copy ${text}`}
      onClick={() => {
        void navigator.clipboard?.writeText(text);
        setDone(true);
        setTimeout(() => setDone(false), 1200);
      }}
    >
      {children ?? <code>{text}</code>} <span aria-live="polite">{done ? "copied" : ""}</span>
    </button>
  );
}

/** Tabs that are links, so that each has an address. */
export function Tabs({ label, tabs, current }: { label: string; current: string; tabs: { id: string; title: ReactNode; href: string }[] }) {
  const row = useCurrentInView(current);
  return (
    <nav className="tabs" aria-label={label} ref={row}>
      {tabs.map((tab) => (
        <Link key={tab.id} href={tab.href} aria-current={tab.id === current ? "page" : undefined}>
          {tab.title}
        </Link>
      ))}
    </nav>
  );
}

/** A modal box; Escape and a click beside it close it, the focus goes back where it was. */
export function Dialog({ title, children, onClose }: { title: string; children: ReactNode; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={box}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === box.current && onClose()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </Button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}

/** A menu that a button opens; closes by Escape, a choice or a click elsewhere. */
export function Menu({ label, children, align = "left" }: { label: ReactNode; children: ReactNode; align?: "left" | "right" }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: MouseEvent) => !root.current?.contains(event.target as Node) && setOpen(false);
    const escape = (event: KeyboardEvent) => event.key === "Escape" && setOpen(false);
    document.addEventListener("mousedown", outside);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("mousedown", outside);
      document.removeEventListener("keydown", escape);
    };
  }, [open]);
  return (
    <div className="menu" ref={root}>
      <Button aria-expanded={open} onClick={() => setOpen(!open)}>
        {label} <span aria-hidden="true">▾</span>
      </Button>
      {open && <div className={`menu-box ${align}`}>{children}</div>}
    </div>
  );
}
