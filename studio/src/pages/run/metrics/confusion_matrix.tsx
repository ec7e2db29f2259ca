// A confusion matrix with its numbers: rows are what was, columns what was said.
import { AnyValue } from "./value_table";

interface Matrix {
  labels: string[];
  rows: number[][];
}

export function matrixOf(value: unknown): Matrix | null {
  const data = (value as { data?: unknown } | null)?.data ?? value;
  const { class_labels: labels, matrix } = (data ?? {}) as { class_labels?: unknown; matrix?: unknown };
  if (!Array.isArray(matrix) || matrix.length === 0 || !matrix.every((row) => Array.isArray(row) && row.every((n) => typeof n === "number"))) return null;
  const rows = matrix as number[][];
  return { rows, labels: rows.map((_, i) => (Array.isArray(labels) && labels[i] !== undefined ? String(labels[i]) : String(i))) };
}

export function ConfusionMatrix({ value }: { value: unknown }) {
  const matrix = matrixOf(value);
  if (!matrix) return <AnyValue value={value} />;
  const most = Math.max(1e-12, ...matrix.rows.flat());
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Confusion matrix">
      <table className="metrics-matrix">
        <caption className="note">Rows: true class. Columns: predicted class.</caption>
        <thead>
          <tr>
            <td />
            {matrix.labels.map((label, i) => (
              <th key={i} scope="col">
                {label}
              </th>
            ))}
            <th scope="col" className="number">
              right
            </th>
          </tr>
        </thead>
        <tbody>
          {matrix.rows.map((row, i) => {
            const sum = row.reduce((a, b) => a + b, 0);
            return (
              <tr key={i}>
                <th scope="row">{matrix.labels[i]}</th>
                {row.map((count, j) => (
                  <td key={j} className={i === j ? "same" : ""} style={{ "--heat": `${Math.round((count / most) * 45)}%` } as React.CSSProperties}>
                    {count}
                  </td>
                ))}
                <td className="number">{sum > 0 ? `${((100 * (row[i] ?? 0)) / sum).toFixed(1)} %` : "–"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
