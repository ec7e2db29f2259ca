// Where one is in a log: at its end, or with some row at the top of the view.
import { MOST_SPANNED, offsetOf, type LogFile, type Row } from "./log_file";

export type Place =
  | { at: "end" }
  /** `hidden`: so many pixels of the row are above the view (below 0: the row is so far down). */
  | { at: "row"; offset: number; hidden: number };

export type Height = (row: Row) => number;

/** The rows to draw; undefined while they are on their way. Of enormous lines only so many as can be here at once. */
export function rowsAt(file: LogFile, place: Place, count: number): Row[] | undefined {
  const rows: Row[] = [];
  let row = place.at === "end" ? file.last() : file.rowAt(place.offset);
  if (row === undefined) return undefined;
  const start = row?.window.index ?? 0;
  const near = (one: Row) => Math.abs(one.window.index - start) < MOST_SPANNED;
  if (place.at === "end") {
    for (; row && near(row) && rows.length < count; row = file.previous(row)) rows.unshift(row);
    return rows;
  }
  for (; row && near(row) && rows.length < count; row = file.next(row)) rows.push(row);
  return rows;
}

/** So many pixels further (or back), as far as rows are here; what is missing has been asked for. */
export function moved(file: LogFile, place: Place & { at: "row" }, pixels: number, height: Height): Place {
  let row = file.rowAt(place.offset);
  if (!row) return place;
  let hidden = place.hidden + pixels;
  while (hidden < 0) {
    const previous = file.previous(row);
    if (!previous) {
      hidden = 0;
      break;
    }
    row = previous;
    hidden += height(row);
  }
  for (let tall = height(row); hidden >= tall; tall = height(row)) {
    const next = file.next(row);
    if (!next) {
      hidden = tall - 1;
      break;
    }
    hidden -= tall;
    row = next;
  }
  return { at: "row", offset: offsetOf(row), hidden };
}
