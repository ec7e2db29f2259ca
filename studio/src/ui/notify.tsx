// Short messages at the foot of the page: what was done, or why not.
import { useSyncExternalStore } from "react";
import { Button } from "./base";

interface Notice {
  id: number;
  text: string;
  bad: boolean;
  undo: (() => void) | undefined;
}
let notices: Notice[] = [];
let next = 1;
const watchers = new Set<() => void>();

function set(list: Notice[]): void {
  notices = list;
  watchers.forEach((watcher) => watcher());
}
const drop = (id: number) => set(notices.filter((notice) => notice.id !== id));

/** With `undo` it stays a little longer, and has a button for that. */
export function notify(text: string, bad = false, undo?: () => void): void {
  const id = next++;
  set([...notices.slice(-3), { id, text, bad, undo }]);
  if (!bad) setTimeout(() => drop(id), undo ? 15_000 : 5000);
}

/** Does something that may be refused, and says so if it was. */
export async function attempt(what: Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await what;
    if (done) notify(done);
    return true;
  } catch (error) {
    notify((error as Error).message, true);
    return false;
  }
}

export function Notices() {
  const list = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => notices,
  );
  return (
    <div className="notices" role="status" aria-live="polite">
      {list.map((notice) => (
        <div key={notice.id} className={notice.bad ? "notice bad" : "notice"}>
          <span>{notice.text}</span>
          {notice.undo && (
            <Button
              small
              onClick={() => {
                drop(notice.id);
                notice.undo?.();
              }}
            >
              Undo
            </Button>
          )}
          <Button kind="quiet" small aria-label="Dismiss" onClick={() => drop(notice.id)}>
            ✕
          </Button>
        </div>
      ))}
    </div>
  );
}
