// The chart of one metric or of several, filled when it comes near the screen.
import { memo, useCallback, useMemo, useSyncExternalStore } from "react";
import type { Panels, PanelSettings } from "../../../lib/panels";
import { Button, Problem } from "../../../ui/base";
import { Chart, type Curve } from "../../../ui/chart";
import type { ChartGroup } from "../../../ui/chart/group";
import { PanelMenu } from "../../../ui/panels/menu";
import { metricsCsv } from "./csv";
import { useNear } from "../../../lib/near";
import { curveParts, type Axis } from "./series";
import type { CurveStore } from "./store";

export interface ChartSettings {
  run: string;
  attempt: number | undefined;
  store: CurveStore;
  group: ChartGroup;
  axis: Axis;
  smoothing: number;
  log: boolean;
  height: number;
  pinned: readonly string[];
  overlaid: readonly string[];
  onPin: (name: string) => void;
  onOverlay: (name: string) => void;
}

const COLORS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];

function curvesOf(names: readonly string[], { store, axis }: ChartSettings): Curve[] {
  return names.flatMap((name, at) => {
    const found = store.series(name);
    if (!found) return [];
    const { series, x, odd } = curveParts(found, axis, store.odd(name));
    const curve: Curve = { id: name, label: name, color: COLORS[at % COLORS.length]!, x, y: series.values, dashed: at >= COLORS.length };
    if (odd !== undefined) curve.odd = odd;
    if (series.lows) [curve.low, curve.high] = [series.lows, series.highs!];
    const last = store.last(name);
    if (last !== undefined) curve.last = last;
    return [curve];
  });
}

/** Which of the curves stopped being numbers, and where. */
function OddNote({ names, store }: { names: readonly string[]; store: CurveStore }) {
  const words = names.map((name) => `${names.length > 1 ? `${name} ` : ""}NaN${store.odd(name) === undefined ? "" : ` from step ${store.odd(name)}`}`);
  return (
    <strong className="metrics-odd" title={words.join(", ")}>
      {words.slice(0, 2).join(", ")}
      {words.length > 2 && ` and ${words.length - 2} more`}
    </strong>
  );
}

interface Props {
  title: string;
  names: string[];
  /** All charts of its section, to move it among them. */
  among: readonly string[];
  panel: PanelSettings;
  panels: Panels;
  settings: ChartSettings;
}

function Filled({ title, names, among, panel, panels, settings }: Props) {
  const { store, axis } = settings;
  const version = useSyncExternalStore(store.subscribe, () => store.version(names));
  const curves = useMemo(() => curvesOf(names, settings), [version, names.join("\n"), axis, store]);
  const odd = names.filter((name) => store.odd(name) !== undefined || (store.series(name)?.odd ?? 0) > 0);
  const csv = useCallback(() => metricsCsv(settings.run, names, settings.attempt), [settings.run, names.join("\n"), settings.attempt]);
  const single = names.length === 1 ? names[0]! : undefined;
  const pin = single !== undefined && settings.pinned.includes(single);
  const over = single !== undefined && settings.overlaid.includes(single);
  const actions = useMemo(
    () => (
      <>
        <PanelMenu name={title} panels={panels} names={among} log={settings.log} several={false} />
        {single !== undefined && (
          <>
            <Button kind="quiet" small aria-pressed={pin} title={pin ? "Take it from the top" : "Keep it at the top"} aria-label={`Pin ${single}`} onClick={() => settings.onPin(single)}>
              {pin ? "Unpin" : "Pin"}
            </Button>
            <Button kind="quiet" small aria-pressed={over} title={over ? "Take it out of the overlay" : "Show it together with others in one chart"} aria-label={`Overlay ${single}`} onClick={() => settings.onOverlay(single)}>
              {over ? "− Overlay" : "+ Overlay"}
            </Button>
          </>
        )}
      </>
    ),
    [title, panels, among.join("\n"), settings.log, single, pin, over, settings.onPin, settings.onOverlay],
  );
  const error = names.map((name) => store.error(name)).find(Boolean);
  if (error && curves.length === 0) return <Problem error={error} retry={() => names.forEach((name) => store.retry(name))} />;
  return (
    <Chart
      title={title}
      curves={curves}
      xKind={axis.kind}
      logY={panel.log ?? settings.log}
      y={panel}
      smoothing={settings.smoothing}
      group={settings.group}
      height={settings.height * (panel.h ?? 1)}
      actions={actions}
      csv={csv}
      loading={names.some((name) => !store.series(name))}
      note={odd.length > 0 ? <OddNote names={odd} store={store} /> : undefined}
    />
  );
}

export const MetricChart = memo(function MetricChart(props: Props) {
  const { names, settings, panel } = props;
  const { store } = settings;
  const list = names.join("\n");
  const [box, was] = useNear(useCallback(() => store.want(list.split("\n")), [store, list]));
  return (
    <div ref={box} className="metrics-chart" style={{ minHeight: `${(settings.height * (panel.h ?? 1) + 58) / 14}rem` }}>
      {was && <Filled {...props} />}
    </div>
  );
});
