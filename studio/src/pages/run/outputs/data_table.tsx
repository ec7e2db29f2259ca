// The rows of a table file; only those in view are on the page.
import { useMemo, useState } from "react";
import { columnType, parseCsv } from "../../../lib/csv";
import { count } from "../../../lib/format";

export const MOST_ROWS = 5000;
const MOST_COLUMNS = 200;
const ROW = 28;

export function DataTable({ text, separator, cut, name }: { text: string; separator: string; cut: boolean; name: string }) {
  const { head, body, types, columns, complete } = useMemo(() => {
    const table = parseCsv(text, separator, MOST_ROWS + 1, cut);
    const all = table.rows.reduce((most, row) => Math.max(most, row.length), 0);
    const shown = Math.min(all, MOST_COLUMNS);
    const [first = [], ...rest] = table.rows;
    const kinds = Array.from({ length: shown }, (_, c) => columnType(rest.slice(0, 1000).map((row) => row[c] ?? "")));
    return { head: first, body: rest, types: kinds, columns: all, complete: table.complete };
  }, [text, separator, cut]);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / ROW) - 15);
  const last = Math.min(body.length, first + 70);
  return (
    <>
      <p className="note">
        {complete ? "" : "The first "}
        {count(body.length)} rows, {count(columns)} columns{columns > MOST_COLUMNS ? `, of which ${MOST_COLUMNS} are shown` : ""}
      </p>
      <div className="data-table" role="region" aria-label={`Table ${name}`} tabIndex={0} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <table aria-rowcount={body.length + 1}>
          <thead>
            <tr>
              <th className="number" scope="col">
                #
              </th>
              {types.map((type, c) => (
                <th key={c} scope="col" className={isNumber(type) ? "number" : ""}>
                  {head[c] ?? ""} <span className="data-type">{type}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first > 0 && <tr style={{ height: first * ROW }} aria-hidden="true" />}
            {body.slice(first, last).map((row, i) => (
              <tr key={first + i} aria-rowindex={first + i + 2}>
                <td className="number note">{count(first + i + 1)}</td>
                {types.map((type, c) => (
                  <td key={c} className={isNumber(type) ? "number" : ""} title={row[c]}>
                    {row[c]}
                  </td>
                ))}
              </tr>
            ))}
            {last < body.length && <tr style={{ height: (body.length - last) * ROW }} aria-hidden="true" />}
          </tbody>
        </table>
      </div>
    </>
  );
}

const isNumber = (type: string) => type === "integer" || type === "number";
