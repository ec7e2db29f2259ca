// What can be set of one chart.
import { useEffect, useId, useState } from "react";
import { inOrder, LARGEST, movedTo, type PanelKind, type Panels } from "../../lib/panels";
import { Button, Dialog } from "../base";

interface MenuProps {
  name: string;
  panels: Panels;
  /** All charts of the page, to move this one among them by keyboard. */
  names: readonly string[];
  /** Whether the page has a logarithmic scale. */
  log: boolean;
  /** Whether several runs are shown, whose last values can be compared. */
  several: boolean;
}

export function PanelMenu(props: MenuProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" small title="Settings of this chart" aria-label={`Settings of the chart ${props.name}`} onClick={() => setOpen(true)}>
        <span aria-hidden="true">⚙</span>
      </Button>
      {open && (
        <Dialog title={props.name} onClose={() => setOpen(false)}>
          <Settings {...props} />
        </Dialog>
      )}
    </>
  );
}

/** A number that may be missing; it counts once one has typed it. */
function Optional({ label, value, hint, onChange }: { label: string; value: number | undefined; hint: string; onChange: (value: number | undefined) => void }) {
  const [text, setText] = useState(value === undefined ? "" : String(value));
  const id = useId();
  useEffect(() => {
    if (text.trim() === "" ? value !== undefined : Number(text) !== value) setText(value === undefined ? "" : String(value));
  }, [value]);
  return (
    <label htmlFor={id}>
      {label}
      <input
        id={id}
        type="number"
        step="any"
        placeholder={hint}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          const number = Number(event.target.value);
          if (event.target.value.trim() === "") onChange(undefined);
          else if (Number.isFinite(number)) onChange(number);
        }}
      />
    </label>
  );
}

function Settings({ name, panels, names, log, several }: MenuProps) {
  const now = panels.of(name);
  const set = (change: Parameters<Panels["change"]>[1]) => panels.change(name, change);
  const ordered = inOrder(names, panels.order);
  const at = ordered.indexOf(name);
  const move = (by: number) => panels.setOrder(movedTo(ordered, name, ordered[at + by]!));
  const wrong = now.min !== undefined && now.max !== undefined && now.min >= now.max;
  return (
    <div className="panel-settings">
      {several && (
        <label>
          Show
          <select value={now.kind ?? ""} onChange={(event) => set({ kind: (event.target.value || undefined) as PanelKind | undefined })}>
            <option value="">curves</option>
            <option value="bars">last values as bars</option>
            <option value="box">last values as box plots</option>
          </select>
        </label>
      )}
      <Optional label="y from" hint="as it comes" value={now.min} onChange={(min) => set({ min })} />
      <Optional label="y to" hint="as it comes" value={now.max} onChange={(max) => set({ max })} />
      {wrong && <p className="odd">The first must be less than the second.</p>}
      <label>
        Outliers
        <select value={now.cut ?? 0} onChange={(event) => set({ cut: Number(event.target.value) || undefined })}>
          <option value={0}>all in sight</option>
          {[1, 2, 5, 10, 20].map((percent) => (
            <option key={percent} value={percent}>
              cut the outer {percent} %
            </option>
          ))}
        </select>
      </label>
      <label>
        Scale
        <select value={now.log === undefined ? "" : now.log ? "log" : "linear"} onChange={(event) => set({ log: event.target.value === "" ? undefined : event.target.value === "log" })}>
          <option value="">as the page ({log ? "logarithmic" : "linear"})</option>
          <option value="linear">linear</option>
          <option value="log">logarithmic</option>
        </select>
      </label>
      {(["w", "h"] as const).map((side) => (
        <label key={side}>
          {side === "w" ? "Width" : "Height"}
          <select value={now[side] ?? 1} onChange={(event) => set({ [side]: Number(event.target.value) > 1 ? Number(event.target.value) : undefined })}>
            {Array.from({ length: LARGEST }, (_, i) => i + 1).map((n) => (
              <option key={n} value={n}>
                {n === 1 ? "usual" : `${n} times`}
              </option>
            ))}
          </select>
        </label>
      ))}
      <div className="row">
        <Button small disabled={at <= 0} onClick={() => move(-1)}>
          Move before
        </Button>
        <Button small disabled={at < 0 || at >= ordered.length - 1} onClick={() => move(1)}>
          Move after
        </Button>
        <Button small onClick={() => panels.change(name, { min: undefined, max: undefined, cut: undefined, log: undefined, kind: undefined, w: undefined, h: undefined })}>
          As usual
        </Button>
      </div>
    </div>
  );
}
