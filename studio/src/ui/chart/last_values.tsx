// The last values of a metric in place of its curves: a bar a run, or a box a group of runs.
import type { ReactNode } from "react";
import { number } from "../../lib/format";

export interface LastValue {
  id: string;
  label: string;
  color: string;
  value: number;
}
export interface ValueGroup {
  title: string;
  color: string;
  values: LastValue[];
}

const cssColor = (color: string): string => (color.startsWith("--") ? `var(${color})` : color);

/** Between the sorted values, in proportion. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}

function Frame({ title, actions, note, children }: { title: string; actions?: ReactNode; note?: ReactNode; children: ReactNode }) {
  return (
    <figure className="chart">
      <figcaption>
        <span className="chart-title" title={title}>
          {title}
        </span>
        {note && <span className="chart-note note">{note}</span>}
        <span className="chart-actions">{actions}</span>
      </figcaption>
      {children}
    </figure>
  );
}

/** The greatest first; what is not a number stands last and says so. */
export function Bars({ title, values, height, actions }: { title: string; values: readonly LastValue[]; height: number; actions?: ReactNode }) {
  const finite = values.filter(({ value }) => Number.isFinite(value)).map(({ value }) => value);
  const [low, high] = [Math.min(0, ...finite), Math.max(0, ...finite)];
  const span = high - low || 1;
  const order = (value: number) => (Number.isFinite(value) ? value : -Infinity);
  return (
    <Frame title={title} actions={actions} note="last values">
      <div className="chart-bars" style={{ maxHeight: height + 60 }} tabIndex={0} role="region" aria-label={`Last values of ${title}`}>
        <table>
          <tbody>
            {[...values].sort((a, b) => order(b.value) - order(a.value)).map(({ id, label, color, value }) => (
              <tr key={id}>
                <th scope="row" title={label}>
                  {label}
                </th>
                <td className="chart-bar" aria-hidden="true">
                  {Number.isFinite(value) && <i style={{ left: `${(100 * (Math.min(0, value) - low)) / span}%`, width: `${(100 * Math.abs(value)) / span}%`, background: cssColor(color) }} />}
                </td>
                <td className={`number ${Number.isFinite(value) ? "" : "odd"}`} title={String(value)}>
                  {number(value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Frame>
  );
}

const ROW = 34;
const LEFT = 120;
const WIDE = 520;

/** Whiskers reach to the least and the greatest; each dot is a run. */
export function Boxes({ title, groups, actions }: { title: string; groups: readonly ValueGroup[]; actions?: ReactNode }) {
  const all = groups.flatMap(({ values }) => values.map(({ value }) => value)).filter(Number.isFinite);
  const odd = groups.reduce((sum, { values }) => sum + values.filter(({ value }) => !Number.isFinite(value)).length, 0);
  if (all.length === 0) {
    return (
      <Frame title={title} actions={actions}>
        <p className="note">No run has a number here.</p>
      </Frame>
    );
  }
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = (most - least || Math.abs(most) || 1) * 0.04;
  const x = (value: number) => LEFT + ((value - least + room) / (most - least + 2 * room)) * (WIDE - LEFT - 10);
  return (
    <Frame title={title} actions={actions} note={odd > 0 ? `last values, ${odd} of them NaN or infinite` : "last values"}>
      <svg className="chart-boxes" viewBox={`0 0 ${WIDE} ${groups.length * ROW + 24}`} role="img" aria-label={`Box plots of the last values of ${title}`}>
        {groups.map((group, i) => {
          const values = group.values.map(({ value }) => value).filter(Number.isFinite).sort((a, b) => a - b);
          const y = i * ROW + ROW / 2;
          const color = cssColor(group.color);
          return (
            <g key={group.title}>
              <text x={0} y={y + 4}>
                {group.title.length > 17 ? `${group.title.slice(0, 16)}…` : group.title}
                <title>{group.title}</title>
              </text>
              {values.length > 0 && (
                <>
                  <line x1={x(values[0]!)} x2={x(values[values.length - 1]!)} y1={y} y2={y} stroke={color} />
                  <rect x={x(quantile(values, 0.25))} width={Math.max(1, x(quantile(values, 0.75)) - x(quantile(values, 0.25)))} y={y - 9} height={18} fill={color} fillOpacity={0.25} stroke={color} />
                  <line x1={x(quantile(values, 0.5))} x2={x(quantile(values, 0.5))} y1={y - 9} y2={y + 9} stroke={color} strokeWidth={3} />
                </>
              )}
              {group.values.map(({ id, label, value }) =>
                Number.isFinite(value) ? (
                  <circle key={id} cx={x(value)} cy={y} r={2.6} fill={color}>
                    <title>{`${label}: ${value}`}</title>
                  </circle>
                ) : null,
              )}
            </g>
          );
        })}
        <text x={x(least)} y={groups.length * ROW + 16}>
          {number(least)}
        </text>
        <text x={WIDE - 10} y={groups.length * ROW + 16} textAnchor="end">
          {number(most)}
        </text>
      </svg>
      <div className="visually-hidden">
        {groups.map((group) => {
          const values = group.values.map(({ value }) => value).filter(Number.isFinite).sort((a, b) => a - b);
          return (
            <p key={group.title}>
              {group.title}: {values.length === 0 ? "no numbers" : `median ${number(quantile(values, 0.5))} of ${values.length}, from ${number(values[0])} to ${number(values[values.length - 1])}`}
            </p>
          );
        })}
      </div>
    </Frame>
  );
}
