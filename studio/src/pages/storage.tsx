// What takes the disk, what is in the bin, and the rules by which old runs lose what they left behind.
import { api, segment, type Schemas } from "../lib/api";
import { bytes, count } from "../lib/format";
import { useResource } from "../lib/resource";
import { runPath } from "../lib/route";
import { Link, Loading, Problem } from "../ui/base";
import { Bin } from "./storage/bin";
import { Rules } from "./storage/rules";
import "./storage.css";

type DiskUse = Schemas["DiskUse"];

function Uses({ items, title, name }: { items: readonly DiskUse[]; title: string; name: (use: DiskUse) => string }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th>{title}</th>
            <th className="number" title="By deleting it, once garbage was collected">Frees</th>
            <th className="number">Outputs</th>
            <th className="number">Logs</th>
            <th className="number">Metrics</th>
            <th className="number" title="Files that others hold too">Shared</th>
          </tr>
        </thead>
        <tbody>
          {items.map((use) => (
            <tr key={name(use)}>
              <td className="storage-name">{use.run ? <Link href={runPath(use.run)}>{use.run}</Link> : name(use)}</td>
              {[use.freed, use.outputs, use.logs, use.metrics, use.shared].map((size, at) => (
                <td key={at} className="number">
                  {size > 0 ? bytes(size) : "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export default function StoragePage({ workspace }: { workspace: string }) {
  const uses = useResource<Schemas["DiskUses"]>(`disk/${workspace}`, () => api.get(`/workspaces/${segment(workspace)}/disk`));
  return (
    <>
      <div className="head">
        <h1>Storage</h1>
      </div>
      <Bin workspace={workspace} onChange={uses.reload} />
      <section className="storage-part" aria-label="Disk">
        <h2>Disk</h2>
        {uses.error && <Problem error={uses.error} retry={uses.reload} />}
        {uses.loading && <Loading what="what is stored" />}
        {uses.data && (
          <>
            <p className="note">
              {count(uses.data.workspace.runs)} runs of this workspace hold {bytes(uses.data.workspace.freed)}; {bytes(uses.data.disk_free)} of {bytes(uses.data.disk_total)} of
              the disk are free. Equal files are stored once and counted once.
            </p>
            {uses.data.experiments.length > 0 && <Uses title="Experiment" items={uses.data.experiments} name={(use) => use.experiment ?? ""} />}
            {uses.data.runs.length > 0 && (
              <>
                <h3>Largest runs</h3>
                <Uses title="Run" items={uses.data.runs} name={(use) => use.run ?? ""} />
              </>
            )}
          </>
        )}
      </section>
      <Rules workspace={workspace} onChange={uses.reload} />
    </>
  );
}
