// What changed in a text: one column, with the lines around each change.
import { useEffect, useMemo, useState } from "react";
import { changeCount, diffLines, linesOf, sections, type Row } from "../lib/diff";
import { count } from "../lib/format";
import { changedParts } from "./code/parts";
import { Button } from "./base";
import "./code/code.css";

const STEP = 2000;

export function Diff({ before, after, name }: { before: string; after: string; name: string }) {
  const { parts, totals } = useMemo(() => {
    const [a, b] = [linesOf(before), linesOf(after)];
    return { parts: sections(a, b), totals: changeCount(diffLines(a, b)) };
  }, [before, after]);
  const [opened, setOpened] = useState<Set<number>>(new Set());
  const [most, setMost] = useState(STEP);
  useEffect(() => {
    setOpened(new Set());
    setMost(STEP);
  }, [before, after]);

  let room = most;
  let left = 0;
  return (
    <div className="diff" role="region" aria-label={`Changes of ${name}`} tabIndex={0}>
      <div className="diff-head">
        <strong>{name}</strong>
        {totals.added + totals.removed === 0 ? (
          <span className="note">No line differs</span>
        ) : (
          <span>
            <span className="plus">+{count(totals.added)}</span> <span className="minus">−{count(totals.removed)}</span>{" "}
            <span className="visually-hidden">lines added and removed</span>
          </span>
        )}
      </div>
      <table>
        <tbody>
          {parts.map((part, i) => {
            if ("hidden" in part && !opened.has(i)) {
              return (
                <tr key={i} className="diff-gap">
                  <td colSpan={4}>
                    <Button kind="quiet" small onClick={() => setOpened(new Set(opened).add(i))}>
                      Show {count(part.hidden.length)} {part.hidden.length === 1 ? "line that is" : "lines that are"} the same
                    </Button>
                  </td>
                </tr>
              );
            }
            const rows = "hidden" in part ? part.hidden : part.rows;
            const shown = rows.slice(0, room);
            room -= shown.length;
            left += rows.length - shown.length;
            return <Rows key={i} rows={shown} />;
          })}
        </tbody>
      </table>
      {left > 0 && (
        <p className="code-more">
          <Button small onClick={() => setMost(most + STEP)}>
            Show more; {count(left)} lines are left
          </Button>
        </p>
      )}
    </div>
  );
}

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

function Rows({ rows }: { rows: Row[] }) {
  const parts = useMemo(() => changedParts(rows), [rows]);
  return rows.map((row, i) => {
    const changed = parts.get(i);
    return (
      <tr key={i} className={row.kind}>
        <td className="diff-number" data-number={row.before ?? ""} />
        <td className="diff-number" data-number={row.after ?? ""} />
        <td className="diff-sign">{SIGNS[row.kind]}</td>
        <td>
          {changed ? (
            <>
              {row.text.slice(0, changed[0])}
              <span className="changed">{row.text.slice(changed[0], changed[1])}</span>
              {row.text.slice(changed[1])}
            </>
          ) : (
            row.text
          )}
        </td>
      </tr>
    );
  });
}
