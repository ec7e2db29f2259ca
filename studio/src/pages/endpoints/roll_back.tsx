// The way back: what an endpoint was, and being that again.
import { useState } from "react";
import { listRevisions, rollBack, type Endpoint, type EndpointRevision } from "../../lib/endpoint";
import { useResource } from "../../lib/resource";
import { Loading, Problem, Time } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { notify } from "../../ui/notify";
import { sharesText } from "./traffic";

const contentOf = ({ deployments }: EndpointRevision): string => deployments.map(({ name, models }) => `${name}: ${models.join(", ") || "code"}`).join("; ") || "no deployment";

export function RollBackDialog({ endpoint, onEndpoint, onClose }: { endpoint: Endpoint; onEndpoint: (endpoint: Endpoint) => void; onClose: () => void }) {
  const { workspace, name } = endpoint;
  const [chosen, setChosen] = useState<number>();
  const list = useResource(`endpoint-revisions/${workspace}/${name}/${endpoint.revision}`, () => listRevisions(workspace, name));
  const before = (list.data?.revisions ?? []).filter((one) => one.revision < endpoint.revision);
  const revision = chosen ?? before[0]?.revision;
  const back = async () => {
    onEndpoint(await rollBack(workspace, name, revision!));
    notify(`${name} becomes what it was at revision ${revision}`);
  };
  return (
    <FormDialog title={`Roll back ${name}`} action="Roll back" kind="danger" ready={revision !== undefined} act={back} onClose={onClose}>
      <p>Deployments, their models and the traffic become what they were. No request fails meanwhile. It is a revision of its own, so it can be undone.</p>
      {list.error && <Problem error={list.error} retry={list.reload} />}
      {list.loading && <Loading what="the revisions" />}
      {list.data && before.length === 0 && <p className="note">There is nothing before revision {endpoint.revision}.</p>}
      {before.length > 0 && (
        <fieldset className="endpoint-revisions">
          <legend>To revision</legend>
          {before.slice(0, 20).map((one) => (
            <label key={one.revision}>
              <input type="radio" name="revision" checked={one.revision === revision} onChange={() => setChosen(one.revision)} />
              <span>
                <strong>{one.revision}</strong> {contentOf(one)} <span className="note">({sharesText(one.traffic)})</span>
                <br />
                <span className="note">
                  {one.why}, <Time at={one.created_at} /> by {one.created_by}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}
