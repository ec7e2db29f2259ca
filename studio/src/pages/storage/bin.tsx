// What was deleted and can still be taken back.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { allPages, type Listed } from "../../lib/all_pages";
import { useFresh, useResource } from "../../lib/resource";
import { runPath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Link, Problem, Time } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { attempt, notify } from "../../ui/notify";

type Run = Schemas["Run"];
type Experiment = Schemas["Experiment"];

function Empty({ workspace, runs, onDone, onClose }: { workspace: string; runs: number; onDone: () => void; onClose: () => void }) {
  const act = async () => {
    await api.post(`/workspaces/${segment(workspace)}/bin/empty`, {});
    notify("The bin is being emptied.");
    onDone();
  };
  return (
    <FormDialog title="Empty the bin" action="Delete for good" kind="danger" act={act} onClose={onClose}>
      <p>
        {runs === 1 ? "The run" : `All ${runs} runs`} in the bin, with logs, metrics and outputs, {runs === 1 ? "is" : "are"} deleted. This cannot be undone.
      </p>
    </FormDialog>
  );
}

export function Bin({ workspace, onChange }: { workspace: string; onChange: () => void }) {
  const path = `/workspaces/${segment(workspace)}`;
  const [may, owns] = [useMay("contributor"), useMay("owner")];
  const [emptying, setEmptying] = useState(false);
  const facts = useResource<Schemas["Bin"]>(`bin/${workspace}`, () => api.get(`${path}/bin`));
  const runs = useResource<Listed<Run>>(`bin-runs/${workspace}`, () => allPages(`${path}/runs`, { deleted: "only" }));
  const experiments = useResource<Listed<Experiment>>(`bin-experiments/${workspace}`, () => allPages(`${path}/experiments`, { deleted: "only" }));
  const reload = () => {
    facts.reload();
    runs.reload();
    experiments.reload();
    onChange();
  };
  useFresh(reload);
  const restore = async (what: string, name: string) => {
    if (await attempt(api.post(`${what}/restore`), `${name} is back.`)) reload();
  };
  const [binned, whole] = [runs.data?.items ?? [], experiments.data?.items ?? []];
  const row = (key: string, name: React.ReactNode, kind: string, at: string | null, act: () => void) => (
    <tr key={key}>
      <td className="storage-name">{name}</td>
      <td>{kind}</td>
      <td className="storage-time">{at && <Time at={at} />}</td>
      {may && (
        <td className="storage-actions">
          <Button small aria-label={`Restore ${key}`} onClick={act}>
            Restore
          </Button>
        </td>
      )}
    </tr>
  );
  return (
    <section className="storage-part" aria-label="Bin">
      <div className="head">
        <h2>Bin</h2>
        {owns && binned.length > 0 && (
          <Button small kind="danger" className="spring" onClick={() => setEmptying(true)}>
            Empty the bin
          </Button>
        )}
      </div>
      {runs.error && <Problem error={runs.error} retry={reload} />}
      {facts.data && (
        <p className="note">
          {binned.length + whole.length === 0 && "Nothing was deleted lately. "}
          {facts.data.keep_days > 0 ? `What has been here for ${facts.data.keep_days} days is deleted for good.` : "Nothing is deleted for good by itself."}
          {facts.data.being_deleted > 0 && ` ${facts.data.being_deleted} being deleted now.`}
        </p>
      )}
      {binned.length + whole.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="In the bin">
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>What</th>
                <th>Deleted</th>
                {may && (
                  <th>
                    <span className="visually-hidden">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {whole.map((one) => row(one.name, one.name, "experiment", one.deleted_at, () => void restore(`${path}/experiments/${segment(one.name)}`, one.name)))}
              {binned.map((one) => row(one.id, <Link href={runPath(one.id)}>{one.display_name}</Link>, `run of ${one.experiment}`, one.deleted_at, () => void restore(`/runs/${segment(one.id)}`, one.display_name)))}
            </tbody>
          </table>
        </div>
      )}
      {emptying && <Empty workspace={workspace} runs={binned.length} onDone={reload} onClose={() => setEmptying(false)} />}
    </section>
  );
}
