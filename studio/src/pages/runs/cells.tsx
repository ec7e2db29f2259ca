// What stands in a cell of the run table.
import type { RunRow } from "../../lib/api";
import { ago, duration, fullTime, isOdd, number } from "../../lib/format";
import { isOver, Status } from "../../ui/base";
import { useNow } from "./clock";
import { labelled, type Column } from "./columns";
import { TagsCell } from "./tags_cell";

export function Duration({ row }: { row: RunRow }) {
  const ticking = row.duration_seconds === null && row.started_at !== null && !isOver(row.status);
  const now = useNow(ticking);
  if (!ticking || !row.started_at) return <>{duration(row.duration_seconds)}</>;
  const seconds = Math.max(0, (now - Date.parse(row.started_at)) / 1000);
  return <>{seconds < 60 ? `${Math.floor(seconds)} s` : duration(seconds)}</>;
}

/** A time that is drawn anew with its row; one timer for each of sixty rows would be too many. */
export function When({ at }: { at: string | null }) {
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at)}
    </time>
  );
}

function Text({ value, title }: { value: string | null | undefined; title?: string }) {
  return value ? <span title={title ?? value}>{value}</span> : <span className="runs-none">–</span>;
}

export function Cell({ column, row }: { column: Column; row: RunRow }) {
  switch (column.id) {
    case "status":
      return (
        <span title={row.error ?? undefined} className="runs-status">
          <Status status={row.status} />
          {row.archived && <span className="runs-archived">archived</span>}
        </span>
      );
    case "experiment":
      return <Text value={row.experiment} />;
    case "created":
      return <When at={row.created_at} />;
    case "started":
      return <When at={row.started_at} />;
    case "ended":
      return <When at={row.ended_at} />;
    case "duration":
      return <Duration row={row} />;
    case "user":
      return <Text value={row.created_by} />;
    case "compute":
      return <Text value={row.compute} />;
    case "number":
      return <>{row.number}</>;
    case "type":
      return <Text value={row.type} />;
    case "id":
      return (
        <code title={row.id} className="runs-id">
          {row.id}
        </code>
      );
    case "error":
      return <Text value={row.error} />;
    case "tags":
      return <TagsCell row={row} />;
  }
  const value = labelled(row, column.id);
  if (value === undefined || value === "") return <span className="runs-none">–</span>;
  const began = column.id.startsWith("metrics.") ? row.odd[column.title] : undefined;
  if (began !== undefined || isOdd(value)) {
    return (
      <span className="odd" title={began === undefined ? String(value) : `${value}, NaN or infinite from step ${began}`}>
        <span aria-hidden="true">✕ </span>
        {typeof value === "number" ? number(value) : value}
      </span>
    );
  }
  return <span title={String(value)}>{typeof value === "number" ? number(value) : value}</span>;
}
