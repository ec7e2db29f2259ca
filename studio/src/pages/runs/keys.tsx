// The keyboard of the run table.
import { useEffect, useRef } from "react";
import { Dialog } from "../../ui/base";

export interface Keys {
  search: () => void;
  move: (by: number) => void;
  edge: (end: boolean) => void;
  open: () => void;
  select: (range: boolean) => void;
  expand: (open: boolean) => void;
  clear: () => void;
  help: () => void;
}

const SHORTCUTS: [string, string][] = [
  ["/", "search"],
  ["j, ↓", "next run"],
  ["k, ↑", "previous run"],
  ["Home, End", "first and last run"],
  ["Enter", "open the run or group"],
  ["→, ←", "show and hide children, or a group's runs"],
  ["x", "select; Shift + X up to here"],
  ["Escape", "clear the selection"],
  ["?", "this list"],
];

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="facts runs-keys">
        {SHORTCUTS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(", ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Where typing means something else. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return true;
  const target = event.target as HTMLElement;
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) || (target.tagName === "INPUT" && (target as HTMLInputElement).type !== "checkbox");
}
const inMenu = (target: HTMLElement): boolean => target.closest(".menu, .runs-bar, header.top, .runs-head") !== null;

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isTaken(event)) return;
      const target = event.target as HTMLElement;
      const { search, move, edge, open, select, expand, clear, help } = latest.current;
      const free = !inMenu(target);
      const known: Record<string, (() => void) | undefined> = {
        "/": search,
        "?": help,
        j: () => move(1),
        k: () => move(-1),
        x: () => select(false),
        X: () => select(true),
        ArrowDown: free ? () => move(1) : undefined,
        ArrowUp: free ? () => move(-1) : undefined,
        ArrowRight: free ? () => expand(true) : undefined,
        ArrowLeft: free ? () => expand(false) : undefined,
        Home: free ? () => edge(false) : undefined,
        End: free ? () => edge(true) : undefined,
        // A focused link or button opens by itself.
        Enter: /^(A|BUTTON|INPUT|SUMMARY)$/.test(target.tagName) ? undefined : open,
        Escape: free ? clear : undefined,
      };
      const act = known[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
