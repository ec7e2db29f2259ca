// What is shown of the metrics, and how.
import { Button } from "../../../ui/base";
import type { View } from "./names";
import type { Change, MetricSettings } from "./settings";
import { XSelect } from "./x_select";

interface Props {
  settings: MetricSettings;
  change: (change: Change) => void;
  smoothing: number;
  onSmoothing: (weight: number) => void;
  /** Whether the run logs its epoch. */
  epoch: boolean;
  /** Metrics that x can be. */
  names: readonly string[];
  attempts: number;
}

export function Toolbar({ settings, change, smoothing, onSmoothing, epoch, names, attempts }: Props) {
  return (
    <div className="metrics-toolbar" role="group" aria-label="How the metrics are shown">
      <input type="search" aria-label="Filter metrics by name" placeholder="Name or /regex/" value={settings.filter} onChange={(event) => change({ filter: event.target.value })} />
      <label>
        Charts{" "}
        <select value={settings.view} onChange={(event) => change({ view: event.target.value as View })}>
          <option value="each">one a metric</option>
          <option value="group">one a group (train/…)</option>
          <option value="last">same last part (…/loss)</option>
        </select>
      </label>
      <XSelect settings={settings} epoch={epoch} names={names} onChange={(x) => change({ x })} />
      <label className="metrics-smooth">
        Smoothing <input type="range" min={0} max={0.99} step={0.01} value={smoothing} onChange={(event) => onSmoothing(Number(event.target.value))} />
        <output>{smoothing.toFixed(2)}</output>
      </label>
      <label>
        <input type="checkbox" checked={settings.log} onChange={(event) => change({ log: event.target.checked })} /> log scale
      </label>
      <label>
        Columns{" "}
        <select value={settings.columns} onChange={(event) => change({ columns: Number(event.target.value) })}>
          {[1, 2, 3, 4].map((n) => (
            <option key={n}>{n}</option>
          ))}
        </select>
      </label>
      {attempts > 1 && (
        <label>
          Attempt{" "}
          <select value={settings.attempt ?? attempts} onChange={(event) => change({ attempt: Number(event.target.value) === attempts ? undefined : Number(event.target.value) })}>
            {Array.from({ length: attempts }, (_, i) => attempts - i).map((n) => (
              <option key={n}>{n}</option>
            ))}
          </select>
        </label>
      )}
      {settings.range && (
        <Button small onClick={() => change({ range: null })}>
          Show all of x
        </Button>
      )}
    </div>
  );
}
