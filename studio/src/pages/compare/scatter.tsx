// Runs as points: any value against any other.
import { useMemo } from "react";
import { number } from "../../lib/format";
import { navigate, runPath, useSearch } from "../../lib/route";
import { useWidth } from "../../lib/size";
import { ChooseDimension } from "./choose";
import { dimensionsOf, usualAxes, varies, type Dimension } from "./dimensions";
import { rampColor } from "./ramp";
import { Ramp } from "./ramp_legend";
import { isNumeric, scaleOf, wantsLog } from "./scale";
import { cssColor } from "./selection";
import type { ComparedRun } from "./comparison";

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [420, 92, 24, 16, 58];
/** Room at the ends of an axis, so that points do not lie on its frame. */
const inset = (at: number): number => 0.03 + 0.94 * at;
const clip = (text: string): string => (text.length > 13 ? `${text.slice(0, 12)}…` : text);

function useAxis(name: string, dimensions: Dimension[], usual: string | undefined): Dimension | undefined {
  const [search] = useSearch();
  const asked = search.get(name);
  return dimensions.find((one) => one.id === asked) ?? dimensions.find((one) => one.id === usual) ?? dimensions[0];
}

export function Scatter({ runs }: { runs: ComparedRun[] }) {
  const [search, change] = useSearch();
  const [box, measured] = useWidth();
  const dimensions = useMemo(() => dimensionsOf(runs), [runs]);
  // What takes the most values spreads the points best.
  const different = (id: string) => new Set(dimensions.find((one) => one.id === id)?.values.filter((value) => value !== undefined)).size;
  const usual = usualAxes(dimensions).sort((a, b) => different(b) - different(a));
  const metric = dimensions.find((one) => one.id.startsWith("metrics.") && varies(one) && isNumeric(one.values));
  const x = useAxis("sx", dimensions, usual.find((id) => id.startsWith("params.")) ?? usual.find((id) => id !== metric?.id));
  const y = useAxis("sy", dimensions, metric?.id);
  const colorBy = dimensions.find((one) => one.id === search.get("color"));
  if (!x || !y) return <p className="note">These runs have no parameters and no metrics yet.</p>;
  const isLog = (name: string, axis: Dimension) => (search.has(name) ? search.get(name) === "1" : axis.id.startsWith("params.") && wantsLog(axis.values));
  const [logX, logY] = [isLog("slogx", x), isLog("slogy", y)];
  const width = Math.max(measured, 300);
  const [scaleX, scaleY] = [scaleOf(x.values, logX, width / 110), scaleOf(y.values, logY, 6)];
  const scaleColor = colorBy && scaleOf(colorBy.values);
  const [right, bottom] = [width - RIGHT, HEIGHT - BOTTOM];
  const atX = (at: number) => LEFT + inset(at) * (right - LEFT);
  const atY = (at: number) => bottom - inset(at) * (bottom - TOP);
  const points = runs.flatMap((run, i) => {
    const [px, py] = [scaleX.at(x.values[i]), scaleY.at(y.values[i])];
    if (px === undefined || py === undefined) return [];
    const color = scaleColor ? rampColor(scaleColor.at(colorBy!.values[i])) : cssColor(run.color);
    const text = (value: string | number | undefined) => (typeof value === "number" ? number(value) : (value ?? "none"));
    const more = colorBy ? `, ${colorBy.label} ${text(colorBy.values[i])}` : "";
    return [{ run, color, cx: atX(px), cy: atY(py), title: `${run.label}: ${x.label} ${text(x.values[i])}, ${y.label} ${text(y.values[i])}${more}` }];
  });
  const strideX = Math.ceil(scaleX.ticks.length / Math.max(2, Math.floor(width / 90)));
  return (
    <>
      <div className="compare-controls">
        <ChooseDimension label="x" value={x.id} dimensions={dimensions} onChange={(id) => change({ sx: id, slogx: null })} />
        <label>
          <input type="checkbox" checked={logX} onChange={() => change({ slogx: logX ? "0" : "1" })} /> log x
        </label>
        <ChooseDimension label="y" value={y.id} dimensions={dimensions} onChange={(id) => change({ sy: id, slogy: null })} />
        <label>
          <input type="checkbox" checked={logY} onChange={() => change({ slogy: logY ? "0" : "1" })} /> log y
        </label>
        <ChooseDimension label="Colour by" value={colorBy?.id ?? ""} dimensions={dimensions} none="run" onChange={(id) => change({ color: id })} />
      </div>
      {colorBy && scaleColor && <Ramp label={colorBy.label} scale={scaleColor} />}
      <div ref={box} className="scroll" tabIndex={0} role="region" aria-label="Scatter plot">
        <svg className="scatter" width={width} height={HEIGHT} role="group" aria-label={`${y.label} against ${x.label}`}>
          {scaleX.ticks
            .filter((_, i) => i % strideX === 0)
            .map((tick) => (
              <g key={tick.text} transform={`translate(${atX(tick.at)} 0)`}>
                <line className="scatter-grid" y1={TOP} y2={bottom} />
                <text y={bottom + 18} textAnchor="middle">
                  {clip(tick.text)}
                </text>
              </g>
            ))}
          {scaleY.ticks.map((tick) => (
            <g key={tick.text} transform={`translate(0 ${atY(tick.at)})`}>
              <line className="scatter-grid" x1={LEFT} x2={right} />
              <text x={LEFT - 8} dy="0.32em" textAnchor="end">
                {clip(tick.text)}
              </text>
            </g>
          ))}
          <path className="scatter-frame" d={`M${LEFT} ${TOP}V${bottom}H${right}`} />
          <text className="scatter-name" x={(LEFT + right) / 2} y={HEIGHT - 12} textAnchor="middle">
            {x.label}
            {scaleX.kind === "log" ? " (log)" : ""}
          </text>
          <text className="scatter-name" transform={`translate(16 ${(TOP + bottom) / 2}) rotate(-90)`} textAnchor="middle">
            {y.label}
            {scaleY.kind === "log" ? " (log)" : ""}
          </text>
          {points.map(({ run, color, cx, cy, title }) => (
            <a
              key={run.id}
              href={runPath(run.id)}
              aria-label={title}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                navigate(runPath(run.id));
              }}
            >
              <circle className="scatter-halo" cx={cx} cy={cy} r={13} />
              <circle cx={cx} cy={cy} r={6} style={{ fill: color }}>
                <title>{title}</title>
              </circle>
            </a>
          ))}
        </svg>
      </div>
      {points.length < runs.length && <p className="note">{runs.length - points.length} runs have no place here, since they lack one of the two values.</p>}
    </>
  );
}
