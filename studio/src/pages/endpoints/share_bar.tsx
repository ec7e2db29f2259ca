// Shares of a whole as one bar, each deployment in its colour.
import type { Shares } from "../../lib/endpoint";
import { colorOf } from "./facts";
import { sumOf } from "./traffic";

export function ShareBar({ names, shares, label }: { names: readonly string[]; shares: Shares; label: string }) {
  const total = sumOf(shares);
  return (
    <div className="endpoints-shares" role="img" aria-label={label} title={label}>
      {names.map((name) => {
        const share = shares[name] ?? 0;
        return share > 0 && <span key={name} style={{ width: `${(100 * share) / total}%`, background: `var(${colorOf(names, name)})` }} />;
      })}
    </div>
  );
}
