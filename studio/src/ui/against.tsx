// Which other run something is compared with; kept in the address as ?against=.
import { api, segment, type Run } from "../lib/api";
import { useResource, type Resource } from "../lib/resource";
import { runPath, useSearch } from "../lib/route";
import { Button, Link, Loading, Problem } from "./base";
import { RunPicker } from "./run_picker";

export function useAgainst(): { id: string | null; other: Resource<Run> } {
  const [search] = useSearch();
  const id = search.get("against");
  return { id, other: useResource(id ? `run/${id}` : null, () => api.get<Run>(`/runs/${segment(id!)}`)) };
}

export function Against({ run, tab, id, other }: { run: Run; tab: string; id: string | null; other: Resource<Run> }) {
  const [, change] = useSearch();
  return (
    <div className="row">
      {id && (
        <>
          <span>
            Compared with{" "}
            {other.data ? (
              <Link href={runPath(id, tab)}>
                <bdi>{other.data.display_name}</bdi>
              </Link>
            ) : (
              <code>{id}</code>
            )}
          </span>
          <Button small onClick={() => change({ against: null }, false)}>
            Stop comparing
          </Button>
        </>
      )}
      <RunPicker workspace={run.workspace} label={id ? "Another run" : "Compare with another run"} except={run.id} onPick={(one) => change({ against: one }, false)} />
      {id && other.error && !other.data && <Problem error={other.error} retry={other.reload} />}
      {id && other.loading && <Loading what="the other run" />}
    </div>
  );
}
