// Which parameters matter, as bars, and how that was found out.
import { count } from "../../lib/format";
import { LEAST_TRIALS, type Importance } from "../../lib/importance";
import type { SweepSpec } from "../../lib/sweep";
import { clipped, labelOf } from "./trials";

/** Names of parameters, the most important first; as the space has them while that is not known. */
export function byImportance(space: SweepSpec["space"], found: Importance | null | undefined): string[] {
  const shares = found?.shares ?? [];
  return space.map(({ name }, i) => ({ name, share: shares[i] ?? 0 })).sort((a, b) => b.share - a.share).map(({ name }) => name);
}

const percent = (share: number): string => `${(share * 100).toFixed(share >= 0.0005 && share < 0.1 ? 1 : 0)} %`;

export function ImportanceBars({ space, found }: { space: SweepSpec["space"]; found: Importance | null | undefined }) {
  const shares = new Map(space.map(({ name }, i) => [name, found?.shares[i] ?? 0]));
  const weak = found && found.explained < 0.3;
  return (
    <section className="card" aria-labelledby="importance-title">
      <h2 id="importance-title">Parameter importance</h2>
      {found === undefined && <p className="note">Working it out …</p>}
      {found === null && <p className="note">Needs at least {LEAST_TRIALS} trials with a value.</p>}
      {found && (
        <>
          <ul className="sweep-bars">
            {byImportance(space, found).map((name) => (
              <li key={name}>
                <span title={name}>{clipped(labelOf(name), 22)}</span>
                <span className="sweep-bar" aria-hidden="true">
                  <span style={{ width: `${100 * shares.get(name)!}%` }} />
                </span>
                <span className="sweep-share">{percent(shares.get(name)!)}</span>
              </li>
            ))}
          </ul>
          <p className="note">
            Permutation importance in a random forest of 60 trees, from {count(found.used)} trials: how much worse its guesses get when a parameter is shuffled. The
            forest explains {percent(Math.max(0, found.explained))} of the variation in trials it has not seen
            {weak ? ", which is little: do not rely on the bars." : "."}
          </p>
        </>
      )}
    </section>
  );
}
