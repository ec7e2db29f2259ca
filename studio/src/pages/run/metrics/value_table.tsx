// Any value a script can log, as a table where it has the form of one.
import { number } from "../../../lib/format";
import { Histogram, histogramOf } from "./histogram";

interface Table {
  columns: string[];
  rows: unknown[][];
}

/** From a list of objects. */
export function tableOf(rows: readonly object[]): Table {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((column) => rows.some((row) => (row as Record<string, unknown>)[column] !== null));
  return { columns, rows: rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column])) };
}

/** From an object of columns; null when it has another form. */
export function columnsOf(value: unknown): Table | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  if (!entries.every(([, column]) => Array.isArray(column) && column.every((one) => typeof one !== "object" || one === null))) {
    return entries.every(([, one]) => typeof one !== "object" || one === null) ? { columns: entries.map(([name]) => name), rows: [entries.map(([, one]) => one)] } : null;
  }
  const length = Math.max(...entries.map(([, column]) => (column as unknown[]).length));
  return { columns: entries.map(([name]) => name), rows: Array.from({ length }, (_, i) => entries.map(([, column]) => (column as unknown[])[i])) };
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <td className="note">–</td>;
  if (typeof value === "number") return <td className="number" title={String(value)}>{number(value)}</td>;
  return <td>{typeof value === "object" ? <code>{JSON.stringify(value)}</code> : String(value)}</td>;
}

const MOST = 500;
export function DataTable({ table }: { table: Table }) {
  const numeric = table.columns.map((_, i) => table.rows.every((row) => typeof row[i] === "number" || row[i] === null || row[i] === undefined));
  return (
    <div className="scroll metrics-table">
      <table>
        <thead>
          <tr>
            {table.columns.map((column, i) => (
              <th key={column} scope="col" className={numeric[i] ? "number" : ""}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, MOST).map((row, i) => (
            <tr key={i}>
              {row.map((value, j) => (
                <Cell key={j} value={value} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > MOST && <p className="note">The first {MOST} of {table.rows.length} rows. The CSV has all.</p>}
    </div>
  );
}

export function AnyValue({ value }: { value: unknown }) {
  const data = (value as { data?: unknown } | null)?.data ?? value;
  const histogram = histogramOf(data);
  if (histogram) {
    const rest = Object.fromEntries(Object.entries(data as object).filter(([name]) => !BINS.has(name)));
    const others = columnsOf(rest);
    return (
      <>
        <Histogram data={histogram} />
        {others && <DataTable table={others} />}
      </>
    );
  }
  const flat = columnsOf(data);
  if (flat) return <DataTable table={flat} />;
  return <pre className="metrics-json">{typeof data === "string" ? data : JSON.stringify(data, null, 2)}</pre>;
}
const BINS = new Set(["bin_edges", "bin_counts", "edges", "counts", "bins", "values"]);
