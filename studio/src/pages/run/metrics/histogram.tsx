// How often values fell into each bin, as bars over the line of the values. The same as a table for who does not see it.
import { number } from "../../../lib/format";

export interface HistogramData {
  /** One more than there are counts, rising. */
  edges: number[];
  counts: number[];
}

const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every((one) => typeof one === "number" && Number.isFinite(one));

/** From {bin_edges, bin_counts}, as residuals have them, and from {edges, counts} or {bins, values}; null for anything else. */
export function histogramOf(value: unknown): HistogramData | null {
  if (typeof value !== "object" || value === null) return null;
  const record = value as Record<string, unknown>;
  const edges = record.bin_edges ?? record.edges ?? record.bins;
  const counts = record.bin_counts ?? record.counts ?? record.values;
  if (!isNumbers(edges) || !isNumbers(counts) || counts.length === 0 || edges.length !== counts.length + 1) return null;
  if (edges.some((edge, i) => i > 0 && edges[i - 1]! > edge) || counts.some((count) => count < 0)) return null;
  return { edges, counts };
}

const [WIDE, HIGH, BELOW] = [480, 180, 18];

export function Histogram({ data: { edges, counts } }: { data: HistogramData }) {
  const most = Math.max(1e-12, ...counts);
  const [first, last] = [edges[0]!, edges[edges.length - 1]!];
  const x = (value: number) => (last > first ? ((value - first) / (last - first)) * WIDE : 0);
  const sum = counts.reduce((a, b) => a + b, 0);
  return (
    <figure className="metrics-histogram">
      <svg viewBox={`0 0 ${WIDE} ${HIGH + BELOW}`} role="img" aria-label={`Histogram of ${number(sum)} values from ${number(first)} to ${number(last)}`}>
        {counts.map((count, i) => (
          <rect key={i} x={x(edges[i]!)} width={Math.max(0.5, x(edges[i + 1]!) - x(edges[i]!) - 1)} y={HIGH - (count / most) * HIGH} height={(count / most) * HIGH}>
            <title>{`${number(edges[i])} … ${number(edges[i + 1])}: ${number(count)}`}</title>
          </rect>
        ))}
        <line x1={0} x2={WIDE} y1={HIGH} y2={HIGH} />
        <text x={0} y={HIGH + 14}>
          {number(first)}
        </text>
        <text x={WIDE / 2} y={HIGH + 14} textAnchor="middle">
          {number((first + last) / 2)}
        </text>
        <text x={WIDE} y={HIGH + 14} textAnchor="end">
          {number(last)}
        </text>
      </svg>
      <figcaption className="note">
        {number(sum)} values, at most {number(most)} in a bin
      </figcaption>
    </figure>
  );
}
