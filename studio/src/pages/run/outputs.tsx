// The files that a run left behind: a tree of them, and the one that is chosen.
import { useEffect, useRef } from "react";
import { api, segment, segments, type Run, type Schemas } from "../../lib/api";
import { count } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { navigate, runPath } from "../../lib/route";
import { Empty, isOver, Loading, Problem } from "../../ui/base";
import { FileTree } from "../../ui/tree";
import { Preview } from "./outputs/preview";
import "./outputs/outputs.css";

type Artifact = Schemas["Artifact"];
const MOST_FILES = 50_000;

async function allArtifacts(run: string): Promise<Artifact[]> {
  const files: Artifact[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Schemas["ArtifactList"] = await api.get(`/runs/${segment(run)}/artifacts`, { limit: 1000, cursor });
    files.push(...page.items);
    cursor = page.next_cursor ?? null;
    if (cursor === null || files.length >= MOST_FILES) return files;
  }
}

export default function OutputsTab({ run, rest }: { run: Run; rest: string[] }) {
  const path = rest.join("/");
  const over = isOver(run.status);
  const list = useResource(`artifacts/${run.id}`, () => allArtifacts(run.id));
  const reload = list.reload;
  const wasOver = useRef(over);
  useEffect(() => {
    if (over !== wasOver.current) reload();
    wasOver.current = over;
    if (over) return;
    const timer = setInterval(reload, 5000);
    return () => clearInterval(timer);
  }, [over, reload]);

  if (list.error && !list.data) return <Problem error={list.error} retry={reload} />;
  if (!list.data) return <Loading what="the outputs" />;
  if (list.data.length === 0) {
    return (
      <Empty title={over ? "This run left no files" : "There are no files yet"}>
        <p>What a script writes into the folder outputs/ is kept and shown here. Or from Python:</p>
        <pre>run.upload_file("outputs/model.pt", "model.pt")</pre>
      </Empty>
    );
  }
  const file = list.data.find((one) => one.path === path);
  return (
    <section className="beside" aria-label="Outputs">
      <FileTree label="Outputs" files={list.data} current={path} onOpen={(one) => navigate(`${runPath(run.id, "outputs")}/${segments(one)}`)} />
      <div>
        {list.data.length >= MOST_FILES && <p className="note">The first {count(MOST_FILES)} files are shown.</p>}
        {file ? (
          <Preview key={`${file.path} ${file.digest}`} run={run} file={file} />
        ) : path ? (
          <Empty title="There is no such file">
            <p>
              This run has no <code>{path}</code> {over ? "" : "so far"}. Choose another in the tree.
            </p>
          </Empty>
        ) : (
          <Empty title="Choose a file">
            <p>Images, text, JSON, tables and pages are shown here; every file can be downloaded.</p>
            <pre>roost artifacts get {run.id}</pre>
          </Empty>
        )}
      </div>
    </section>
  );
}
