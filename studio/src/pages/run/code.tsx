// The code of a run as it was when the run was made, and what differs from another run's.
import { useMemo, useState } from "react";
import { segments, type Run } from "../../lib/api";
import { bytes, count } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { navigate, runPath, useSearch } from "../../lib/route";
import { blobUrl, compareFiles, filesOf, loadSnapshot, loadText, type SnapshotFile } from "../../lib/snapshot";
import { useMay } from "../../lib/session";
import { Against, useAgainst } from "../../ui/against";
import { Button, Copy, Empty, Loading, Problem } from "../../ui/base";
import { Code } from "../../ui/code";
import { FileTree } from "../../ui/tree";
import { AgainDialog } from "./again/dialog";
import { Changes } from "./code/changes";
import { entryOf } from "./code/entry";
import "./code/code.css";

export default function CodeTab({ run, rest }: { run: Run; rest: string[] }) {
  const { id, other } = useAgainst();
  const may = useMay("contributor");
  const [launching, setLaunching] = useState(false);
  const snapshot = useResource(run.snapshot ? `snapshot/${run.snapshot}` : null, () => loadSnapshot(run.snapshot!));
  const theirs = useResource(other.data?.snapshot ? `snapshot/${other.data.snapshot}` : null, () => loadSnapshot(other.data!.snapshot!));
  const files = useMemo(() => (snapshot.data ? filesOf(snapshot.data) : []), [snapshot.data]);
  const changes = useMemo(() => {
    if (!other.data || (other.data.snapshot && !theirs.data)) return undefined;
    return compareFiles(theirs.data ? filesOf(theirs.data) : [], files);
  }, [other.data, theirs.data, files]);

  if (!run.snapshot) {
    return (
      <Empty title="This run has no code">
        <p>It was made without a folder. With one, the code is kept as it was:</p>
        <pre>roost submit --experiment {run.experiment} --source . -- python train.py</pre>
      </Empty>
    );
  }
  if (snapshot.error && !snapshot.data) return <Problem error={snapshot.error} retry={snapshot.reload} />;
  if (!snapshot.data) return <Loading what="the code" />;
  return (
    <section aria-label="Code">
      <div className="head">
        <span className="note">
          {count(snapshot.data.files)} files, {bytes(snapshot.data.size)}
        </span>
        <Copy text={run.snapshot}>
          <code title={run.snapshot}>snapshot {run.snapshot.slice(0, 12)}…</code>
        </Copy>
        <span className="spring" />
        {may && <Button onClick={() => setLaunching(true)}>Run this code …</Button>}
        {launching && <AgainDialog run={run} title="Run this code" entry={entryOf(run.spec, files)} onClose={() => setLaunching(false)} />}
        <Against run={run} tab="code" id={id} other={other} />
      </div>
      {id && theirs.error && <Problem error={theirs.error} retry={theirs.reload} />}
      {id ? changes ? <Changes run={run} changes={changes} path={rest.join("/")} /> : !other.error && <Loading what="the code of the other run" /> : <Browser run={run} files={files} path={rest.join("/")} />}
    </section>
  );
}

function Browser({ run, files, path }: { run: Run; files: SnapshotFile[]; path: string }) {
  if (files.length === 0) return <Empty title="The folder of this run was empty" />;
  const shown = path || entryOf(run.spec, files) || "";
  const file = files.find((one) => one.path === shown);
  return (
    <div className="beside">
      <FileTree label="Code" files={files} current={shown} onOpen={(one) => navigate(`${runPath(run.id, "code")}/${segments(one)}`)} />
      {file ? (
        <FileView key={file.digest} file={file} />
      ) : (
        <Empty title="There is no such file">
          <p>
            The code of this run has no <code>{shown}</code>.
          </p>
        </Empty>
      )}
    </div>
  );
}

function FileView({ file }: { file: SnapshotFile }) {
  const [search, change] = useSearch();
  const text = useResource(`blob/${file.digest}`, async () => ({ text: await loadText(file) }));
  const line = Number(search.get("line")) || undefined;
  return (
    <article className="code-file" aria-label={file.path}>
      <header className="output-head code-file-head">
        <h2>
          <bdi>{file.path}</bdi>
        </h2>
        <span className="note">
          {bytes(file.size)}
          {file.executable ? ", executable" : ""}
        </span>
        <Copy text={file.digest}>
          <code title={file.digest}>sha256 {file.digest.slice(0, 12)}…</code>
        </Copy>
        <a className="button small" href={blobUrl(file.digest)} download={file.path.slice(file.path.lastIndexOf("/") + 1)}>
          Download
        </a>
      </header>
      {text.error && !text.data ? (
        <Problem error={text.error} retry={text.reload} />
      ) : !text.data ? (
        <Loading what="the file" />
      ) : text.data.text === undefined ? (
        <p className="note">This file is no text, or too long to be shown. Download it to look inside.</p>
      ) : text.data.text === "" ? (
        <p className="note">This file is empty.</p>
      ) : (
        <Code text={text.data.text} name={file.path} line={line} onLine={(one) => change({ line: one === line ? null : String(one) })} />
      )}
    </article>
  );
}
