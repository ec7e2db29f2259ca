// Files as a tree that keys can walk. Only the rows in view are on the page.
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { bytes, count } from "../lib/format";
import { rowsOf, treeOf, type TreeFile, type TreeRow } from "../lib/tree";
import "./tree.css";

interface FileTreeProps {
  label: string;
  files: readonly TreeFile[];
  /** The path that is open. */
  current: string;
  onOpen: (path: string) => void;
}

const ROW = 28;
/** So few files are all shown at first. */
const FEW = 60;

function parentOf(rows: readonly TreeRow[], at: number): number {
  let i = at - 1;
  while (i >= 0 && rows[i]!.depth >= rows[at]!.depth) i -= 1;
  return i < 0 ? at : i;
}

export function FileTree({ label, files, current, onOpen }: FileTreeProps) {
  const id = useId();
  const root = useMemo(() => treeOf(files), [files]);
  const [filter, setFilter] = useState("");
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [active, setActive] = useState(current);
  const [view, setView] = useState({ top: 0, height: 600 });
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => {
    const few = files.length <= FEW;
    return rowsOf(root, (node) => toggled.get(node.path) ?? (few || node.path.split("/").length === 1 && root.children!.length === 1 || current.startsWith(`${node.path}/`)), filter);
  }, [root, toggled, filter, files.length, current]);
  const at = Math.max(0, rows.findIndex((row) => row.node.path === active));

  useEffect(() => setActive(current), [current]);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setView((now) => ({ ...now, height: element.clientHeight })));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const toggle = (row: TreeRow, open: boolean) => row.node.children && setToggled(new Map(toggled).set(row.node.path, open));
  const go = (to: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (!row) return;
    setActive(row.node.path);
    const element = box.current!;
    const top = rows.indexOf(row) * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW - element.clientHeight;
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[at];
    if (!row) return;
    const page = Math.max(1, Math.floor(view.height / ROW) - 1);
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "PageDown") go(at + page);
    else if (event.key === "PageUp") go(at - page);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(rows.length - 1);
    else if (event.key === "ArrowRight") row.open ? go(at + 1) : toggle(row, true);
    else if (event.key === "ArrowLeft") row.open ? toggle(row, false) : go(parentOf(rows, at));
    else if (event.key === "Enter" || event.key === " ") row.node.children ? toggle(row, !row.open) : onOpen(row.node.path);
    else if (event.key.length === 1) {
      const letter = event.key.toLowerCase();
      const order = [...rows.keys()].map((i) => (i + at + 1) % rows.length);
      const next = order.find((i) => rows[i]!.node.name.toLowerCase().startsWith(letter));
      if (next !== undefined) go(next);
    } else return;
    event.preventDefault();
  };

  const first = Math.max(0, Math.floor(view.top / ROW) - 10);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + 10);
  return (
    <div className="tree">
      <div className="tree-head">
        <input type="search" aria-label={`Filter ${label}`} placeholder="Filter by name" value={filter} onChange={(event) => setFilter(event.target.value)} />
        <span className="note">
          {count(root.files)} {root.files === 1 ? "file" : "files"}, {bytes(root.size)}
        </span>
      </div>
      <div
        ref={box}
        className="tree-box"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={rows[at] && at >= first && at < last ? `${id}-${at}` : undefined}
        onKeyDown={keys}
        onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
      >
        {rows.length === 0 && <p className="note tree-none">No file has that in its name.</p>}
        <div role="presentation" style={{ height: rows.length * ROW, position: "relative" }}>
          {rows.slice(first, last).map((row, i) => (
            <div
              key={row.node.path}
              id={`${id}-${first + i}`}
              role="treeitem"
              aria-level={row.depth + 1}
              aria-expanded={row.node.children ? row.open : undefined}
              aria-selected={row.node.path === current}
              className={first + i === at ? "tree-row active" : "tree-row"}
              style={{ top: (first + i) * ROW, paddingLeft: 8 + row.depth * 16 }}
              title={row.node.path}
              onClick={() => {
                setActive(row.node.path);
                row.node.children ? toggle(row, !row.open) : onOpen(row.node.path);
              }}
            >
              <span className="tree-mark" aria-hidden="true">
                {row.node.children ? (row.open ? "▾" : "▸") : ""}
              </span>
              <bdi className="tree-name">{row.node.name}</bdi>
              {row.node.note && <span className="tree-note">{row.node.note}</span>}
              <span className="tree-size">{bytes(row.node.size)}</span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
