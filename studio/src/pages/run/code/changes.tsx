// The files that differ between the code of two runs, and how the chosen one does.
import { segments, type Run } from "../../../lib/api";
import { bytes, count } from "../../../lib/format";
import { useResource } from "../../../lib/resource";
import { runPath, useSearch } from "../../../lib/route";
import { loadText, type FileChange } from "../../../lib/snapshot";
import { Empty, Link, Loading, Problem } from "../../../ui/base";
import { Diff } from "../../../ui/diff";

const SIGNS = { added: "+", removed: "−", changed: "±" } as const;

export function Changes({ run, changes, path }: { run: Run; changes: FileChange[]; path: string }) {
  const [search] = useSearch();
  if (changes.length === 0) {
    return (
      <Empty title="The code is the same">
        <p>Both runs have the same files, byte for byte.</p>
      </Empty>
    );
  }
  const chosen = changes.find((change) => change.path === path) ?? (path ? undefined : changes[0]);
  const query = `?against=${encodeURIComponent(search.get("against") ?? "")}`;
  return (
    <div className="beside">
      <nav className="code-changes" aria-label="Files that differ">
        <p className="note">
          {count(changes.length)} {changes.length === 1 ? "file differs" : "files differ"}; + is only here, − only in the other run
        </p>
        <ul>
          {changes.map((change) => (
            <li key={change.path}>
              <Link href={`${runPath(run.id, "code")}/${segments(change.path)}${query}`} aria-current={change === chosen ? "true" : undefined} className={`code-change ${change.kind}`}>
                <span className="code-sign" aria-hidden="true">
                  {SIGNS[change.kind]}
                </span>
                <span className="visually-hidden">{change.kind}: </span>
                <bdi>{change.path}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="code-diff">{chosen ? <FileDiff key={chosen.path} change={chosen} /> : <Empty title="This file is the same in both runs" />}</div>
    </div>
  );
}

function FileDiff({ change }: { change: FileChange }) {
  const { before, after } = change;
  const texts = useResource(`diff/${before?.digest}/${after?.digest}`, async () => {
    const [a, b] = await Promise.all([before ? loadText(before) : "", after ? loadText(after) : ""]);
    return { before: a, after: b };
  });
  if (texts.error && !texts.data) return <Problem error={texts.error} retry={texts.reload} />;
  if (!texts.data) return <Loading what="both files" />;
  if (texts.data.before === undefined || texts.data.after === undefined) {
    return (
      <p className="note">
        {change.path} is no text, or too long: {before ? bytes(before.size) : "nothing"} in the other run, {after ? bytes(after.size) : "nothing"} here.
      </p>
    );
  }
  return (
    <>
      {before && after && before.executable !== after.executable && <p className="note">{after.executable ? "It is executable now." : "It is no longer executable."}</p>}
      <Diff before={texts.data.before} after={texts.data.after} name={change.path} />
    </>
  );
}
