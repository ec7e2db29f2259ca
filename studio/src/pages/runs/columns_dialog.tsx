// Which columns the table has, and in which order.
import { useState } from "react";
import { Button, Dialog, Loading, Problem } from "../../ui/base";
import { BUILT_IN, columnOf, kindOf } from "./columns";
import { useRunColumns } from "./search_box";

const MOST_SHOWN = 200;

export function moved(columns: readonly string[], from: number, to: number): string[] {
  const next = [...columns];
  const [one] = next.splice(from, 1);
  if (one !== undefined) next.splice(to, 0, one);
  return next;
}

export function ColumnsDialog({ workspace, columns, usual, onChange, onClose }: {
  workspace: string;
  columns: string[];
  usual: string[];
  onChange: (columns: string[]) => void;
  onClose: () => void;
}) {
  const known = useRunColumns(workspace, true);
  const [find, setFind] = useState("");
  const [dragged, setDragged] = useState<number | null>(null);
  const toggle = (id: string) => onChange(columns.includes(id) ? columns.filter((one) => one !== id) : [...columns, id]);
  const fits = (id: string) => columnOf(id).title.toLowerCase().includes(find.trim().toLowerCase());
  const sections: [string, string[]][] = [
    ["Fields", BUILT_IN.map((column) => column.id)],
    ["Metrics", (known.data?.metrics ?? []).map((name) => `metrics.${name}`)],
    ["Parameters", (known.data?.params ?? []).map((name) => `params.${name}`)],
    ["Tags", (known.data?.tags ?? []).map((name) => `tags.${name}`)],
  ];

  return (
    <Dialog title="Columns" onClose={onClose}>
      <div className="runs-columns">
        <section aria-label="Chosen columns">
          <h3>Shown, in this order</h3>
          <ol>
            {columns.map((id, i) => (
              <li
                key={id}
                draggable
                className={dragged === i ? "dragged" : undefined}
                onDragStart={() => setDragged(i)}
                onDragEnd={() => setDragged(null)}
                onDragOver={(event) => {
                  event.preventDefault();
                  if (dragged === null || dragged === i) return;
                  onChange(moved(columns, dragged, i));
                  setDragged(i);
                }}
              >
                <span className="runs-grip" aria-hidden="true">
                  ⠿
                </span>
                <span className="runs-column-name" title={id}>
                  {columnOf(id).title} <span className="note">{kindOf(id)}</span>
                </span>
                <Button kind="quiet" small aria-label={`Move ${columnOf(id).title} up`} disabled={i === 0} onClick={() => onChange(moved(columns, i, i - 1))}>
                  ↑
                </Button>
                <Button kind="quiet" small aria-label={`Move ${columnOf(id).title} down`} disabled={i === columns.length - 1} onClick={() => onChange(moved(columns, i, i + 1))}>
                  ↓
                </Button>
                <Button kind="quiet" small aria-label={`Remove ${columnOf(id).title}`} onClick={() => toggle(id)}>
                  ✕
                </Button>
              </li>
            ))}
          </ol>
          {columns.length === 0 && <p className="note">Only the name is shown.</p>}
          <Button small onClick={() => onChange(usual)}>
            As usual
          </Button>
        </section>
        <section aria-label="All columns">
          <input type="search" aria-label="Find a column" placeholder="Find a column" value={find} onChange={(event) => setFind(event.target.value)} />
          {known.error && <Problem error={known.error} retry={known.reload} />}
          {known.loading && <Loading what="metrics and parameters" />}
          <div className="runs-column-list" tabIndex={0} role="group" aria-label="Columns to choose from">
            {sections.map(([title, all]) => {
              const ids = all.filter(fits);
              return (
                ids.length > 0 && (
                  <fieldset key={title}>
                    <legend>{title}</legend>
                    {ids.slice(0, MOST_SHOWN).map((id) => (
                      <label key={id} title={id}>
                        <input type="checkbox" checked={columns.includes(id)} onChange={() => toggle(id)} /> {columnOf(id).title}
                      </label>
                    ))}
                    {ids.length > MOST_SHOWN && <p className="note">and {ids.length - MOST_SHOWN} more: type a part of the name</p>}
                  </fieldset>
                )
              );
            })}
          </div>
        </section>
      </div>
    </Dialog>
  );
}
