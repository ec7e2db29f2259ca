// Parallel coordinates: one line a run through its values on every axis. The table below says the same in words.
import { useMemo, useState } from "react";
import { number } from "../../lib/format";
import { runPath, useSearch } from "../../lib/route";
import { useWidth } from "../../lib/size";
import { Button, Link, Menu } from "../../ui/base";
import { Axis } from "./axis";
import { brushesOf, passes, textsOf } from "./brushes";
import { ChooseDimension } from "./choose";
import { dimensionsOf, usualAxes, type Dimension } from "./dimensions";
import { rampColor } from "./ramp";
import { Ramp } from "./ramp_legend";
import { isNumeric, scaleOf, wantsLog, type Scale } from "./scale";
import { cssColor } from "./selection";
import type { ComparedRun } from "./comparison";

const [HEIGHT, TOP, SIDE] = [380, 16, 90];

interface Placed {
  run: ComparedRun;
  color: string;
  places: Map<string, number | undefined>;
  inside: boolean;
}

/** Through the axes that the run has a value on; a gap where it has none. */
function lineOf(placed: Placed, axes: Dimension[], x: (i: number) => number): string {
  let path = "";
  let pen = false;
  axes.forEach((axis, i) => {
    const at = placed.places.get(axis.id);
    if (at !== undefined) path += `${pen ? "L" : "M"}${x(i).toFixed(1)} ${(TOP + (1 - at) * HEIGHT).toFixed(1)}`;
    pen = at !== undefined;
  });
  return path;
}

function Controls({ dimensions, axes, colorBy, logs }: { dimensions: Dimension[]; axes: Dimension[]; colorBy: string; logs: Set<string> }) {
  const [search, change] = useSearch();
  const ids = axes.map((axis) => axis.id);
  const toggle = (id: string) => change({ axis: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id] });
  const toggleLog = (id: string) => {
    const next = logs.has(id) ? [...logs].filter((one) => one !== id) : [...logs, id];
    change({ logaxis: next.length > 0 ? next : ["none"] });
  };
  return (
    <div className="compare-controls">
      <Menu label="Axes">
        {dimensions.map((one) => (
          <label key={one.id}>
            <input type="checkbox" checked={ids.includes(one.id)} onChange={() => toggle(one.id)} /> {one.label}{" "}
            <span className="note">{one.id.startsWith("metrics.") ? "metric" : one.id.startsWith("params.") ? "parameter" : ""}</span>
          </label>
        ))}
      </Menu>
      <Menu label="Log scale">
        {axes.filter((one) => isNumeric(one.values)).map((one) => (
          <label key={one.id}>
            <input type="checkbox" checked={logs.has(one.id)} onChange={() => toggleLog(one.id)} /> {one.label}
          </label>
        ))}
      </Menu>
      <ChooseDimension label="Colour by" value={colorBy} dimensions={dimensions} none="run" onChange={(id) => change({ color: id || "run" })} />
      {search.getAll("brush").length > 0 && <Button small onClick={() => change({ brush: [] })}>End all filters</Button>}
    </div>
  );
}

export function Parallel({ runs }: { runs: ComparedRun[] }) {
  const [search, change] = useSearch();
  const [box, width] = useWidth();
  const [hover, setHover] = useState<string>();
  const dimensions = useMemo(() => dimensionsOf(runs), [runs]);
  const asked = search.getAll("axis");
  const wanted = asked.length > 0 ? asked : usualAxes(dimensions);
  const axes = wanted.flatMap((id) => dimensions.find((one) => one.id === id) ?? []);
  // Until someone chooses, axes that ask for it are log; "none" is a choice, too.
  const askedLogs = search.getAll("logaxis");
  const logs = new Set(askedLogs.length > 0 ? askedLogs : dimensions.filter((one) => one.id.startsWith("params.") && wantsLog(one.values)).map((one) => one.id));
  const lastMetric = axes.filter((one) => one.id.startsWith("metrics.")).at(-1)?.id;
  const chosenColor = search.get("color") ?? lastMetric ?? "run";
  const colorBy = dimensions.find((one) => one.id === chosenColor);
  const brushes = brushesOf(search.getAll("brush"));
  const scales = new Map<string, Scale>(axes.map((axis) => [axis.id, scaleOf(axis.values, logs.has(axis.id))]));
  const colorScale = colorBy && scaleOf(colorBy.values, logs.has(colorBy.id));

  if (axes.length < 2) {
    return (
      <>
        <Controls dimensions={dimensions} axes={axes} colorBy={colorBy?.id ?? ""} logs={logs} />
        <p className="note">Choose at least two axes.</p>
      </>
    );
  }
  const placed: Placed[] = runs.map((run, i) => {
    const places = new Map(axes.map((axis) => [axis.id, scales.get(axis.id)!.at(axis.values[i])]));
    return { run, places, inside: passes(places, brushes), color: colorScale ? rampColor(colorScale.at(colorBy!.values[i])) : cssColor(run.color) };
  });
  const drawn = Math.max(width, axes.length * 110);
  const x = (i: number) => SIDE + (i * (drawn - 2 * SIDE)) / (axes.length - 1);
  const inside = placed.filter((one) => one.inside);
  // What is pointed at is drawn last, on top of the others.
  const ordered = [...placed.filter((one) => !one.inside), ...inside.filter((one) => one.run.id !== hover), ...inside.filter((one) => one.run.id === hover)];
  return (
    <>
      <Controls dimensions={dimensions} axes={axes} colorBy={colorBy?.id ?? ""} logs={logs} />
      {colorBy && colorScale && <Ramp label={colorBy.label} scale={colorScale} />}
      <div className="scroll" ref={box} tabIndex={0} role="region" aria-label="Parallel coordinates">
        <svg className="parallel" width={drawn} height={HEIGHT + TOP + 56} role="img" aria-label={`${inside.length} of ${runs.length} runs on ${axes.length} axes; the table below has the same values`}>
          {ordered.map((one) => (
            <path
              key={one.run.id}
              d={lineOf(one, axes, x)}
              className={`parallel-line ${one.inside ? "" : "out"} ${hover === one.run.id ? "over" : hover && one.inside ? "under" : ""}`}
              style={one.inside ? { stroke: one.color } : undefined}
              onPointerEnter={() => one.inside && setHover(one.run.id)}
              onPointerLeave={() => setHover(undefined)}
            >
              <title>{one.run.label}</title>
            </path>
          ))}
          {axes.map((axis, i) => (
            <g key={axis.id}>
              <Axis
                x={x(i)}
                top={TOP}
                height={HEIGHT}
                label={axis.label}
                scale={scales.get(axis.id)!}
                side={i === axes.length - 1 ? "right" : "left"}
                brush={brushes.get(axis.id)}
                onBrush={(brush) => {
                  const next = new Map(brushes);
                  if (brush) next.set(axis.id, brush);
                  else next.delete(axis.id);
                  change({ brush: textsOf(next) });
                }}
              />
              <text className="parallel-name" x={x(i)} y={TOP + HEIGHT + 26} textAnchor="middle">
                {axis.label.length > 20 ? `${axis.label.slice(0, 19)}…` : axis.label}
                <title>{axis.label}</title>
              </text>
              <text className="parallel-kind" x={x(i)} y={TOP + HEIGHT + 42} textAnchor="middle">
                {scales.get(axis.id)!.kind === "log" ? "log" : ""}
              </text>
            </g>
          ))}
        </svg>
      </div>
      <p className="note">
        {brushes.size > 0 ? `${inside.length} of ${runs.length} runs pass the filters.` : "Drag along an axis to keep only runs that cross it there."}
        {axes.some((axis) => axis.values.includes(undefined)) && " A line has a gap where its run has no value."}
      </p>
      <ValueTable axes={axes} placed={placed} hover={hover} onHover={setHover} runs={runs} />
    </>
  );
}

function ValueTable({ axes, placed, runs, hover, onHover }: { axes: Dimension[]; placed: Placed[]; runs: ComparedRun[]; hover: string | undefined; onHover: (id?: string) => void }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Values of the runs shown">
      <table>
        <thead>
          <tr>
            <th>Run</th>
            {axes.map((axis) => (
              <th key={axis.id} className={isNumeric(axis.values) ? "number" : ""}>
                {axis.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {placed.map(
            ({ run, inside, color }, i) =>
              inside && (
                <tr key={run.id} className={hover === run.id ? "compare-over" : ""} onPointerEnter={() => onHover(run.id)} onPointerLeave={() => onHover(undefined)}>
                  <td>
                    <span className="compare-dot" style={{ background: color }} aria-hidden="true" /> <Link href={runPath(run.id)}>{runs[i]!.label}</Link>
                  </td>
                  {axes.map((axis) => (
                    <td key={axis.id} className={isNumeric(axis.values) ? "number" : ""} title={String(axis.values[i] ?? "")}>
                      {axis.values[i] === undefined ? "–" : typeof axis.values[i] === "number" ? number(axis.values[i]) : axis.values[i]}
                    </td>
                  ))}
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
  );
}
