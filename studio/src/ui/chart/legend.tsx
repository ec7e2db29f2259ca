// The names of the curves with the values under the cursor, and what the chart tells to who does not see it.
import { number } from "../../lib/format";
import type { Curve, Drawn } from "./curve";

export function Legend({ title, curves, onToggle }: { title: string; curves: Drawn[]; onToggle: (id: string) => void }) {
  // One curve with the name of the chart needs no name again.
  const named = curves.length !== 1 || curves[0]!.label !== title;
  return (
    <div className="chart-legend">
      <span className="chart-place" data-place>
        last
      </span>
      <ul>
        {curves.map((curve) => (
          <li key={curve.id}>
            {named && <button
              type="button"
              aria-pressed={!curve.hidden}
              disabled={curves.length === 1}
              title={curves.length === 1 ? curve.label : `${curve.hidden ? "Show" : "Hide"} ${curve.label}`}
              onClick={() => onToggle(curve.id)}
            >
              <i className={curve.dashed ? "dashed" : ""} style={{ borderColor: curve.color.startsWith("--") ? `var(${curve.color})` : curve.color }} aria-hidden="true" />
              <span>{curve.label}</span>
            </button>}
            <span data-value className="chart-value" />
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Summary({ title, curves }: { title: string; curves: Curve[] }) {
  return (
    <div className="visually-hidden">
      {curves.slice(0, 20).map((curve) => {
        let [low, high, last]: [number, number, number | null] = [Infinity, -Infinity, null];
        curve.y.forEach((value, i) => {
          if (value === null) return;
          last = value;
          low = Math.min(low, curve.low?.[i] ?? value);
          high = Math.max(high, curve.high?.[i] ?? value);
        });
        const end = curve.last ?? last;
        return (
          <p key={curve.id}>
            {title}, {curve.label}: {end === null ? "no values" : `last ${number(end)}${last === null ? "" : `, least ${number(low)}, greatest ${number(high)}`}`}
            {curve.odd !== undefined && `, not a number from ${number(curve.odd)} on`}
          </p>
        );
      })}
    </div>
  );
}
