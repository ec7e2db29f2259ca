// One endpoint: how it is, what it does, and what can be done with it.
import { useState } from "react";
import { addressesOf, deleteEndpoint, endpointPath, getEndpoint, getStatistics, restart, type Endpoint } from "../../lib/endpoint";
import { forget, useResource } from "../../lib/resource";
import { navigate, workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Copy, Empty, Link, Loading, Problem, Tabs, Time } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { notify } from "../../ui/notify";
import { CallTab } from "./call";
import { useEvery } from "./list";
import { LogsTab } from "./logs";
import { OverviewTab } from "./overview";
import { EndpointStatus } from "./status";
import { TryTab } from "./try";

const SOON = 1500;
const EVERY = 2500;

const TABS = [
  { id: "", title: "Overview" },
  { id: "try", title: "Try it" },
  { id: "logs", title: "Logs" },
  { id: "call", title: "Keys and code" },
] as const;

function Actions({ endpoint, onChanged }: { endpoint: Endpoint; onChanged: () => void }) {
  const [box, setBox] = useState<"restart" | "delete">();
  const { workspace, name } = endpoint;
  const close = () => setBox(undefined);
  return (
    <span className="spring row">
      <Button onClick={() => setBox("restart")}>Restart …</Button>
      <Button kind="danger" onClick={() => setBox("delete")}>
        Delete …
      </Button>
      {box === "restart" && (
        <FormDialog
          title={`Restart ${name}`}
          action="Restart"
          act={async () => {
            await restart(workspace, name, null);
            notify(`The replicas of ${name} are replaced one by one`);
            onChanged();
          }}
          onClose={close}
        >
          <p>Each replica is replaced by a new one. A replica goes only once its successor is ready, so no request fails.</p>
        </FormDialog>
      )}
      {box === "delete" && (
        <FormDialog
          title={`Delete ${name}`}
          action="Delete"
          kind="danger"
          act={async () => {
            await deleteEndpoint(workspace, name);
            notify(`${name} is deleted`);
            forget(`endpoints/${workspace}`);
            navigate(workspacePath(workspace, "endpoints"));
          }}
          onClose={close}
        >
          <p>
            Whoever calls <code>{addressesOf(endpoint).scoring}</code> is refused from now on, and its keys are gone. The models, and the runs of its replicas with their logs, stay.
          </p>
        </FormDialog>
      )}
    </span>
  );
}

export function OneEndpoint({ workspace, name, tab }: { workspace: string; name: string; tab: string }) {
  const may = useMay("contributor");
  const endpoint = useResource(`endpoint/${workspace}/${name}`, () => getEndpoint(workspace, name));
  const statistics = useResource(endpoint.data ? `endpoint-statistics/${workspace}/${name}` : null, () => getStatistics(workspace, name));
  const { data } = endpoint;
  useEvery(endpoint.reload, data?.state === "Transitioning" ? SOON : EVERY);
  useEvery(statistics.reload, EVERY);

  const list = (
    <p className="note">
      <Link href={workspacePath(workspace, "endpoints")}>Endpoints</Link> /
    </p>
  );
  // What was shown from memory may be gone by now.
  if (endpoint.error?.status === 404) {
    return (
      <>
        {list}
        <Empty title={`There is no endpoint ${name}`}>
          <p>It may have been deleted.</p>
        </Empty>
      </>
    );
  }
  if (!data) {
    return (
      <>
        {list}
        {endpoint.error ? <Problem error={endpoint.error} retry={endpoint.reload} /> : <Loading what={name} />}
      </>
    );
  }
  const current = TABS.some((one) => one.id === tab) ? tab : "";
  return (
    <div className="endpoint">
      {list}
      <div className="head">
        <h1>{data.name}</h1>
        <EndpointStatus state={data.state} />
        {may && <Actions endpoint={data} onChanged={endpoint.reload} />}
      </div>
      <div className="endpoint-facts note">
        <Copy text={addressesOf(data).scoring} />
        <span>{data.auth === "none" ? "open to all who reach it" : data.auth === "key" ? "needs a key" : "needs a token"}</span>
        {data.compute && (
          <span>
            on <Link href={workspacePath(workspace, `computes/${encodeURIComponent(data.compute)}`)}>{data.compute}</Link>
          </span>
        )}
        <span>
          created <Time at={data.created_at} /> by {data.created_by}, revision {data.revision}, <Time at={data.updated_at} />
        </span>
      </div>
      {data.description && <p>{data.description}</p>}
      {endpoint.error && <Problem error={endpoint.error} retry={endpoint.reload} />}
      <Tabs label="Parts of the endpoint" current={current} tabs={TABS.map((one) => ({ ...one, href: endpointPath(workspace, name, one.id) }))} />
      {current === "" && <OverviewTab endpoint={data} statistics={statistics} onEndpoint={endpoint.set} />}
      {current === "try" && <TryTab endpoint={data} />}
      {current === "logs" && <LogsTab endpoint={data} />}
      {current === "call" && <CallTab endpoint={data} />}
    </div>
  );
}
