// Why a run failed: what was thrown, where, and the way to the log.
import type { Run } from "../../../lib/api";
import { runPath } from "../../../lib/route";
import { Link } from "../../../ui/base";

const SIGNALS: Record<number, string> = { 1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM" };

export function RootCause({ run }: { run: Run }) {
  const error = run.error;
  if (!error) return null;
  const traceback = error.traceback ?? [];
  const log = `${runPath(run.id, "logs")}?${new URLSearchParams({ ...(error.rank === undefined ? {} : { rank: String(error.rank) }), attempt: String(run.attempt), find: "first-error" })}`;
  // The last lines usually have the traceback once more.
  const before = traceback.length > 0 && error.last_lines.includes(traceback[0]!) ? error.last_lines.slice(0, error.last_lines.lastIndexOf(traceback[0]!)) : error.last_lines;
  return (
    <section className="card root-cause" aria-labelledby="root-cause-title">
      <header className="row">
        <h2 id="root-cause-title">{run.status === "Canceled" ? "Why it was cancelled" : "Root cause"}</h2>
        <Link className="button" href={log}>
          Show in the log
        </Link>
      </header>
      <p className="root-cause-what">{error.exception ?? error.message}</p>
      <dl className="facts">
        {error.exception && (
          <>
            <dt>What happened</dt>
            <dd>{error.message}</dd>
          </>
        )}
        {error.rank !== undefined && (
          <>
            <dt>Rank</dt>
            <dd>{error.rank}, the first that failed on its own</dd>
          </>
        )}
        {error.node && (
          <>
            <dt>Node</dt>
            <dd>{error.node}</dd>
          </>
        )}
        {run.exit_code !== null && (
          <>
            <dt>Exit code</dt>
            <dd>{run.exit_code}</dd>
          </>
        )}
        {run.signal !== null && (
          <>
            <dt>Signal</dt>
            <dd>
              {run.signal} {SIGNALS[run.signal] && `(${SIGNALS[run.signal]})`}
            </dd>
          </>
        )}
        <dt>Code</dt>
        <dd>{error.code}</dd>
      </dl>
      {traceback.length > 0 && <pre className="root-cause-trace" tabIndex={0} aria-label="Traceback">{traceback.join("\n")}</pre>}
      {before.length > 0 && (
        <details open={traceback.length === 0}>
          <summary>{traceback.length > 0 ? "Lines before it" : "Last lines"}</summary>
          <pre className="root-cause-lines" tabIndex={0} aria-label="Last lines of the log">
            {before.join("\n")}
          </pre>
        </details>
      )}
    </section>
  );
}
