// What x is in the charts of a page.
import { xText, type MetricSettings } from "./settings";

const MOST = 200;

interface Props {
  settings: MetricSettings;
  /** Whether a run logs its epoch. */
  epoch: boolean;
  names: readonly string[];
  onChange: (x: string) => void;
}

export function XSelect({ settings, epoch, names, onChange }: Props) {
  const { xMetric } = settings;
  const listed = names.slice(0, MOST);
  return (
    <label>
      x{" "}
      <select className="metrics-x" value={xText(settings)} onChange={(event) => onChange(event.target.value)}>
        <option value="step">step</option>
        <option value="time">time</option>
        <option value="relative">time since the start</option>
        {(epoch || settings.x === "epoch") && <option value="epoch">epoch</option>}
        <optgroup label="value of a metric">
          {xMetric !== undefined && !listed.includes(xMetric) && <option value={`metric:${xMetric}`}>{xMetric}</option>}
          {listed.map((name) => (
            <option key={name} value={`metric:${name}`}>
              {name}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}
