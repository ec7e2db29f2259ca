// Saved views: a name for what the address says.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { navigate, workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { useResource } from "../../lib/resource";
import { Button, Link, Loading, Menu, Problem } from "../../ui/base";
import { attempt } from "../../ui/notify";
import { viewOf } from "./state";

function Views({ workspace, search }: { workspace: string; search: URLSearchParams }) {
  const may = useMay("contributor");
  const [name, setName] = useState("");
  const path = `/workspaces/${segment(workspace)}/views`;
  const views = useResource(`views ${workspace}`, () => api.get<Schemas["ViewList"]>(path));
  const now = viewOf(search);
  const href = (state: string) => `${workspacePath(workspace, "runs")}${state ? `?${state}` : ""}`;
  const save = async () => {
    const title = name.trim();
    if (title === "") return;
    if (await attempt(api.put(`${path}/${segment(title)}`, { state: now }), `The view ${title} is saved.`)) setName("");
    views.reload();
  };
  const remove = async (title: string) => {
    await attempt(api.remove(`${path}/${segment(title)}`), `The view ${title} is deleted.`);
    views.reload();
  };

  return (
    <div className="runs-views">
      {views.loading && <Loading what="views" />}
      {views.error && <Problem error={views.error} retry={views.reload} />}
      {views.data?.items.length === 0 && <p className="note">No view is saved yet. A view keeps the search, the order, the columns and the groups.</p>}
      <ul>
        {views.data?.items.map((view) => (
          <li key={view.name}>
            <Link href={href(view.state)} aria-current={view.state === now ? "true" : undefined} title={`by ${view.created_by}`}>
              {view.name}
            </Link>
            {may && (
              <Button kind="quiet" small aria-label={`Delete the view ${view.name}`} onClick={() => void remove(view.name)}>
                ✕
              </Button>
            )}
          </li>
        ))}
      </ul>
      {may && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input type="text" aria-label="Name of the view" placeholder="Save this view as …" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
          <Button small type="submit" disabled={name.trim() === ""}>
            Save
          </Button>
        </form>
      )}
      {now !== "" && (
        <Button small kind="quiet" onClick={() => navigate(href(""))}>
          Show the usual list
        </Button>
      )}
    </div>
  );
}

export function ViewsMenu(props: { workspace: string; search: URLSearchParams }) {
  // A choice closes the menu: it is another one for another view.
  return (
    <Menu key={viewOf(props.search)} label="Views" align="right">
      <Views {...props} />
    </Menu>
  );
}
