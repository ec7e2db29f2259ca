// A Parquet file: its columns, and its first rows where the page can unpack them. Only the end of the file and the beginning of
// each column are read.
import { count } from "../../../lib/format";
import { Loading } from "../../../ui/base";
import { readBytes, useMade } from "./file_bytes";
import { footerLength, parquetFooter, type ParquetChunk } from "./parquet/footer";
import { firstCells, type Cell } from "./parquet/pages";

const MOST_FOOTER = 8 * 1024 * 1024;
const MOST_ROWS = 50;
const MOST_COLUMNS = 30;
/** Of each column; a page of it that is larger is not shown. */
const MOST_CHUNK = 1536 * 1024;

interface ShownColumn {
  name: string;
  cells: Cell[];
  /** Why there are none. */
  problem: string;
}

async function columnOf(url: string, chunk: ParquetChunk, signal: AbortSignal): Promise<ShownColumn> {
  const { name, nested } = chunk.column;
  if (nested) return { name, cells: [], problem: "a list or structure" };
  try {
    const bytes = await readBytes(url, chunk.offset, chunk.offset + Math.min(chunk.size, MOST_CHUNK), signal);
    const cells = await firstCells(bytes, chunk, MOST_ROWS);
    return { name, cells, problem: cells.length === 0 && chunk.size > MOST_CHUNK ? "its first page is too large" : "" };
  } catch (error) {
    if (signal.aborted) throw error;
    return { name, cells: [], problem: (error as Error).message };
  }
}

export default function ParquetPreview({ url, size }: { url: string; size: number }) {
  const { value, error } = useMade(url, async (signal) => {
    const length = footerLength(await readBytes(url, Math.max(0, size - 8), size, signal));
    if (length > MOST_FOOTER || length + 8 > size) throw new Error(`what it says of itself would have ${length} bytes`);
    const footer = parquetFooter(await readBytes(url, size - 8 - length, size - 8, signal));
    const columns: ShownColumn[] = [];
    // One after the other, and each from a small part of the file.
    for (const chunk of footer.chunks.slice(0, MOST_COLUMNS)) columns.push(await columnOf(url, chunk, signal));
    return { footer, columns };
  });
  if (error) return <p className="note">This file cannot be shown: {error.message}.</p>;
  if (!value) return <Loading what="the table" />;
  const { footer, columns } = value;
  const shown = columns.filter((column) => column.cells.length > 0);
  const rows = Math.max(0, ...shown.map((column) => column.cells.length));
  const problems = columns.filter((column) => column.problem !== "");
  return (
    <>
      <p className="note">
        {count(footer.rows)} rows in {count(footer.groups)} {footer.groups === 1 ? "group" : "groups"}, {count(footer.columns.length)} columns{footer.createdBy && `, by ${footer.createdBy}`}
      </p>
      {rows > 0 && (
        <div className="scroll output-parquet" tabIndex={0} role="region" aria-label="First rows">
          <table>
            <thead>
              <tr>
                {shown.map((column) => (
                  <th key={column.name} scope="col">
                    {column.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: rows }, (_, row) => (
                <tr key={row}>
                  {shown.map(({ name, cells }) => (
                    <td key={name} className={typeof cells[row] === "number" || typeof cells[row] === "bigint" ? "number" : undefined}>
                      {cells[row] === null ? <span className="note">null</span> : cells[row] === undefined ? "" : String(cells[row]).slice(0, 300)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {problems.length > 0 && <p className="note">Not shown: {problems.map(({ name, problem }) => `${name} (${problem})`).join(", ")}.</p>}
      <details open={rows === 0}>
        <summary>Columns</summary>
        <div className="scroll" tabIndex={0} role="region" aria-label="Columns">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Null</th>
                <th scope="col">Compression</th>
              </tr>
            </thead>
            <tbody>
              {footer.columns.slice(0, 1000).map((column, i) => (
                <tr key={i}>
                  <td>{column.name}</td>
                  <td>
                    {column.type}
                    {column.meaning && `, ${column.meaning}`}
                  </td>
                  <td>{column.optional ? "may be" : "never"}</td>
                  <td>{footer.chunks.find((chunk) => chunk.column === column)?.codec ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
