// What the colours mean.
import { rampColor } from "./ramp";
import type { Scale } from "./scale";

export function Ramp({ label, scale }: { label: string; scale: Scale }) {
  if (scale.ticks.length === 0) return null;
  if (scale.kind === "category") {
    return (
      <p className="compare-ramp">
        <span>{label}</span>
        {scale.ticks.slice(0, 12).map((tick) => (
          <span key={tick.text}>
            <span className="compare-dot" style={{ background: rampColor(tick.at) }} aria-hidden="true" /> {tick.text}
          </span>
        ))}
      </p>
    );
  }
  const stops = Array.from({ length: 9 }, (_, i) => rampColor(i / 8)).join(", ");
  return (
    <p className="compare-ramp">
      <span>{label}</span>
      <span>{scale.ends[0]}</span>
      <span className="compare-ramp-bar" style={{ backgroundImage: `linear-gradient(to right, ${stops})` }} aria-hidden="true" />
      <span>{scale.ends[1]}</span>
    </p>
  );
}
