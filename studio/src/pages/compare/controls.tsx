// How the curves of several runs are shown.
import { useSearch } from "../../lib/route";
import { Button } from "../../ui/base";
import type { MetricSettings } from "../run/metrics/settings";
import { XSelect } from "../run/metrics/x_select";
import type { ComparedRun } from "./comparison";

interface Props {
  runs: readonly ComparedRun[];
  settings: MetricSettings;
  names: readonly string[];
  smoothing: number;
  onSmoothing: (weight: number) => void;
  /** Where the address keeps which metrics are shown. */
  filterParam: string;
  /** Where the groups are chosen here, and not elsewhere on the page. */
  chooseGroup: boolean;
}

const FIELDS = ["experiment", "status", "compute", "user"];

/** What can make groups: what at least two of the runs share, or have other values of. */
function groupings(runs: readonly ComparedRun[]): string[] {
  const names = (kind: "params" | "tags") => [...new Set(runs.flatMap(({ row }) => Object.keys(row[kind])))].sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map((name) => `${kind}.${name}`);
  return [...FIELDS, ...names("params"), ...names("tags").filter((name) => name !== "tags.mlflow.note.content")];
}

export function Controls({ runs, settings, names, smoothing, onSmoothing, filterParam, chooseGroup }: Props) {
  const [search, change] = useSearch();
  const group = search.get("group") ?? "";
  const known = groupings(runs);
  const epoch = runs.some((run) => "epoch" in run.row.metrics);
  return (
    <div className="compare-controls" role="group" aria-label="How the curves are shown">
      <input type="search" aria-label="Filter metrics by name" placeholder="Filter by name" value={settings.filter} onChange={(event) => change({ [filterParam]: event.target.value })} />
      {chooseGroup && (
        <label>
          Groups{" "}
          <select value={group} onChange={(event) => change({ group: event.target.value || null })}>
            <option value="">none</option>
            {(known.includes(group) || group === "" ? known : [group, ...known]).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
      {group !== "" && (
        <label>
          Band{" "}
          <select value={search.get("band") ?? "range"} onChange={(event) => change({ band: event.target.value === "range" ? null : event.target.value })}>
            <option value="range">least to greatest</option>
            <option value="std">± standard deviation</option>
          </select>
        </label>
      )}
      <XSelect settings={settings} epoch={epoch} names={names} onChange={(x) => change({ x: x === "step" ? null : x, from: null, to: null })} />
      <label className="row">
        Smoothing <input type="range" min={0} max={0.99} step={0.01} value={smoothing} onChange={(event) => onSmoothing(Number(event.target.value))} />
        <output>{smoothing.toFixed(2)}</output>
      </label>
      <label>
        <input type="checkbox" checked={settings.log} onChange={(event) => change({ log: event.target.checked ? "1" : null })} /> log scale
      </label>
      {settings.range && (
        <Button small onClick={() => change({ from: null, to: null })}>
          Show all of x
        </Button>
      )}
    </div>
  );
}
