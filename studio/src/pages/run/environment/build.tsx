// How the environment was built: state, log, live while it goes on.
import { useEffect, useState } from "react";
import { api, apiUrl, segment, type ApiError, type Schemas } from "../../../lib/api";
import { bytes } from "../../../lib/format";
import { useResource } from "../../../lib/resource";
import { AnsiText } from "../../../ui/ansi";
import { Copy, Problem, Time } from "../../../ui/base";

type Build = Schemas["EnvironmentBuild"];
const MOST_LOG = 200_000;

const STATES: Record<Build["status"], string> = {
  nothing_to_build: "Nothing to build",
  queued: "Waits for its turn",
  building: "Being built",
  built: "Built",
  failed: "Failed",
};

export function BuildCard({ digest }: { digest: string }) {
  const build = useResource(`build/${digest}`, () => api.get<Build>(`/environment-builds/${segment(digest)}`));
  const under = build.data?.status === "building" || build.data?.status === "queued";
  const reload = build.reload;
  useEffect(() => {
    if (!under) return;
    const timer = setInterval(reload, 2000);
    return () => clearInterval(timer);
  }, [under, reload]);
  const made = build.data?.environment;
  return (
    <section className="card env-build" aria-label="Build">
      <h2>Build</h2>
      {build.error && !build.data && <p className="note">{build.error.status === 404 ? "It is no longer kept on the server; a rerun builds it again with the same versions." : build.error.message}</p>}
      {build.data && (
        <dl className="facts">
          <dt>State</dt>
          <dd className={build.data.status === "failed" ? "env-failed" : ""}>
            {STATES[build.data.status]}
            {build.data.message ? `: ${build.data.message}` : ""}
          </dd>
          {made && (
            <>
              <dt>Built</dt>
              <dd>
                <Time at={made.created_at} />, last used <Time at={made.used_at} />
              </dd>
              <dt>Size</dt>
              <dd>{bytes(made.size)}</dd>
            </>
          )}
          <dt>Digest</dt>
          <dd>
            <Copy text={digest}>
              <code>{digest}</code>
            </Copy>
          </dd>
        </dl>
      )}
      <BuildLog digest={digest} under={under} />
    </section>
  );
}

function BuildLog({ digest, under }: { digest: string; under: boolean }) {
  const [text, setText] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const ask = () =>
      api.text(apiUrl(`/environment-builds/${segment(digest)}/log`), controller.signal).then(
        (log) => {
          setText(log);
          setError(undefined);
        },
        (problem: ApiError) => controller.signal.aborted || setError(problem),
      );
    void ask();
    const timer = under ? setInterval(() => void ask(), 2000) : undefined;
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [digest, under, turn]);
  if (error && error.status === 404) return <p className="note">Its log is no longer kept.</p>;
  if (error) return <Problem error={error} retry={() => setTurn(turn + 1)} />;
  if (text === undefined) return <p className="note">Loading the log …</p>;
  if (text === "") return <p className="note">{under ? "Nothing was printed yet." : "There is no log of it."}</p>;
  return (
    <>
      <h3>Log of the build</h3>
      {text.length > MOST_LOG && <p className="note">The last {bytes(MOST_LOG)} of it.</p>}
      <div className="env-log" role="region" aria-label="Log of the build" tabIndex={0}>
        <AnsiText text={text.slice(-MOST_LOG).trimEnd()} />
      </div>
    </>
  );
}
