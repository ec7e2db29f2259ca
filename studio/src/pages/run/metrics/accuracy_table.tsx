// How a classifier does at each threshold, class by class.
import { useState } from "react";
import { AnyValue, DataTable } from "./value_table";

interface Rates {
  labels: string[];
  thresholds: number[];
  /** By class and threshold: true positives, false positives, true negatives, false negatives. */
  tables: number[][][];
}

export function ratesOf(value: unknown): Rates | null {
  const data = ((value as { data?: unknown } | null)?.data ?? value) as Record<string, unknown> | null;
  const { probability_tables: tables, probability_thresholds: thresholds, class_labels: labels } = data ?? {};
  if (!Array.isArray(tables) || !Array.isArray(thresholds) || tables.length === 0) return null;
  if (!tables.every((table) => Array.isArray(table) && table.every((row) => Array.isArray(row) && row.length === 4))) return null;
  return { tables, thresholds, labels: tables.map((_, i) => (Array.isArray(labels) && labels[i] !== undefined ? String(labels[i]) : String(i))) };
}

export function AccuracyTable({ value }: { value: unknown }) {
  const [shown, setShown] = useState(0);
  const rates = ratesOf(value);
  if (!rates) return <AnyValue value={value} />;
  const share = (a: number, b: number) => (a + b > 0 ? a / (a + b) : null);
  const rows = (rates.tables[shown] ?? []).map(([tp = 0, fp = 0, tn = 0, fn = 0], i) => [rates.thresholds[i], tp, fp, tn, fn, share(tp, fp), share(tp, fn)]);
  return (
    <>
      {rates.labels.length > 1 && (
        <label className="note">
          Class{" "}
          <select value={shown} onChange={(event) => setShown(Number(event.target.value))}>
            {rates.labels.map((label, i) => (
              <option key={i} value={i}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <DataTable table={{ columns: ["threshold", "true +", "false +", "true −", "false −", "precision", "recall"], rows }} />
    </>
  );
}
