// A build that was asked for here, until it is done.
import { useEffect } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { bytes } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { Button, Loading, Problem, Time } from "../../ui/base";
import { BuildLog } from "./build_log";
import { LockList } from "./builds";

type Build = Schemas["EnvironmentBuild"];

const TEXT: Record<Build["status"], string> = {
  nothing_to_build: "nothing to build: its Python is used as it is",
  queued: "queued",
  building: "building",
  built: "built",
  failed: "failed",
};
const LOOK: Record<Build["status"], string> = { nothing_to_build: "", queued: "status-Queued", building: "status-Running", built: "status-Completed", failed: "status-Failed" };

export function BuildPanel({ digest, onClose }: { digest: string; onClose: () => void }) {
  const build = useResource<Build>(`environment-build/${digest}`, () => api.get(`/environment-builds/${segment(digest)}`));
  const growing = build.data?.status === "queued" || build.data?.status === "building";
  const { reload } = build;
  useEffect(() => {
    if (!growing) return;
    const timer = setInterval(reload, 1000);
    return () => clearInterval(timer);
  }, [growing, reload]);
  return (
    <section className="card environments-build" aria-label="Build">
      <div className="row">
        <h2>Build</h2>
        {build.data && (
          <span className={`status ${LOOK[build.data.status]}`} role="status">
            {TEXT[build.data.status]}
          </span>
        )}
        <code>{digest.slice(0, 12)}</code>
        <Button kind="quiet" small className="environments-close" aria-label="Close the build" onClick={onClose}>
          ✕
        </Button>
      </div>
      {build.error && <Problem error={build.error} retry={build.reload} />}
      {build.loading && <Loading what="the build" />}
      {build.data?.message && <p>{build.data.message}</p>}
      {build.data?.environment && (
        <p className="note">
          {bytes(build.data.environment.size)} by {build.data.environment.builder}, built <Time at={build.data.environment.created_at} />, last used <Time at={build.data.environment.used_at} />
        </p>
      )}
      {build.data && build.data.status !== "nothing_to_build" && build.data.status !== "queued" && <BuildLog digest={digest} growing={growing} />}
      {build.data?.environment && (
        <details>
          <summary>Lock: {build.data.environment.lock.length} packages</summary>
          <LockList built={build.data.environment} />
        </details>
      )}
    </section>
  );
}
