// What differs between the code of two runs.
import { useEffect } from "react";
import { bytes } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { useSearch } from "../../lib/route";
import { compareFiles, filesOf, loadSnapshot, loadText, type FileChange } from "../../lib/snapshot";
import { Loading, Problem } from "../../ui/base";
import { Diff } from "../../ui/diff";
import { useDetails } from "./details";
import { usePair } from "./pair";
import type { ComparedRun } from "./comparison";

const SIGNS = { added: "+", removed: "−", changed: "≠" } as const;

function ChangedFile({ change }: { change: FileChange }) {
  const texts = useResource(`compare-file/${change.before?.digest ?? ""}/${change.after?.digest ?? ""}`, async () => {
    const [before, after] = await Promise.all([change.before ? loadText(change.before) : "", change.after ? loadText(change.after) : ""]);
    return { before, after };
  });
  if (texts.error) return <Problem error={texts.error} retry={texts.reload} />;
  if (!texts.data) return <Loading what={change.path} />;
  const { before, after } = texts.data;
  if (before === undefined || after === undefined) {
    return (
      <p className="note">
        {change.path} is not text, or too long to be shown: {bytes(change.before?.size ?? 0)} before, {bytes(change.after?.size ?? 0)} after.
      </p>
    );
  }
  if (before === after) return <p className="note">Only whether it may be executed changed.</p>;
  return <Diff before={before} after={after} name={change.path} />;
}

function Changes({ before, after }: { before: string; after: string }) {
  const [search, change] = useSearch();
  const snapshots = useResource(`compare-code/${before}/${after}`, () => Promise.all([loadSnapshot(before), loadSnapshot(after)]));
  const changes = snapshots.data ? compareFiles(filesOf(snapshots.data[0]), filesOf(snapshots.data[1])) : [];
  const file = search.get("file");
  const chosen = changes.find((one) => one.path === file) ?? changes.find((one) => one.kind === "changed") ?? changes[0];
  // An address that names a file of other runs would mislead.
  useEffect(() => {
    if (snapshots.data && file && !changes.some((one) => one.path === file)) change({ file: null });
  });
  if (snapshots.error) return <Problem error={snapshots.error} retry={snapshots.reload} />;
  if (!snapshots.data) return <Loading what="the code" />;
  if (!chosen) return <p className="note">The code is the same, but for links and folders.</p>;
  return (
    <div className="compare-code">
      <nav aria-label="Files that differ">
        <ul>
          {changes.map((one) => (
            <li key={one.path}>
              <button type="button" aria-pressed={one === chosen} onClick={() => change({ file: one.path })}>
                <span className={`compare-${one.kind}`} title={one.kind}>
                  {SIGNS[one.kind]}
                </span>
                <span className="visually-hidden">{one.kind}: </span>
                {one.path}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className="compare-code-file">
        <ChangedFile key={chosen.path} change={chosen} />
      </div>
    </div>
  );
}

export function CodeDiff({ runs }: { runs: ComparedRun[] }) {
  const details = useDetails(runs, false);
  const snapshotOf = (run: ComparedRun) => details.of.get(run.id)?.run.snapshot ?? null;
  const pair = usePair(runs, snapshotOf);
  if (details.error) return <Problem error={details.error} retry={details.reload} />;
  if (!pair || details.loading) return <Loading what="the runs" />;
  const [before, after] = [snapshotOf(pair.before), snapshotOf(pair.after)];
  return (
    <>
      {pair.chooser}
      {!before || !after ? (
        <p className="note">{(before ? pair.after : pair.before).label} has no snapshot of its code.</p>
      ) : before === after ? (
        <p className="note">Both runs have the same code, snapshot {before.slice(0, 12)}.</p>
      ) : (
        <Changes before={before} after={after} />
      )}
    </>
  );
}
