// The logs of a run: which one, and the log itself.
import { useEffect, useMemo, useRef, useState } from "react";
import { api, segment, type Run, type Schemas } from "../../lib/api";
import { bytes } from "../../lib/format";
import { prefetch, useResource } from "../../lib/resource";
import { pathParts, useSearch } from "../../lib/route";
import { Empty, isOver, Loading, Problem } from "../../ui/base";
import { Choice as Choices } from "../../ui/choice";
import { attemptsOf, choicesOf, chosen, type Choice } from "./logs/names";
import { MergedLog } from "./logs/merged";
import { openAhead, openLog } from "./logs/open_log";
import { LogPanel } from "./logs/panel";
import "./logs/logs.css";

const MOST_BUTTONS = 8;
/** In the address, in place of a rank. */
const MERGED = "all";

const logsKey = (run: string): string => `logs/${run}`;
const getLogs = (run: string) => api.get<Schemas["LogList"]>(`/runs/${segment(run)}/logs`);

// Of the first address: the log comes while the run itself does.
const [area, first, tab] = pathParts();
export const opening = area === "runs" && first && tab === "logs" ? openFirst(first) : undefined;

async function openFirst(id: string): Promise<void> {
  const list = await prefetch(logsKey(id), () => getLogs(id));
  if (list) await openAhead(id, list, new URLSearchParams(location.search));
}

export default function LogsTab({ run }: { run: Run; rest: string[] }) {
  const [search, change] = useSearch();
  const over = isOver(run.status);
  const logs = useResource(logsKey(run.id), () => getLogs(run.id));
  // Ranks open their logs one after the other; nothing tells of a new one.
  const reload = logs.reload;
  const status = useRef(run.status);
  useEffect(() => {
    if (status.current !== run.status) reload();
    status.current = run.status;
    if (over) return;
    const timer = setInterval(reload, 3000);
    return () => clearInterval(timer);
  }, [over, run.status, reload]);

  const items = logs.data?.items ?? [];
  const attempts = attemptsOf(items);
  const attempt = Number(search.get("attempt") ?? attempts[attempts.length - 1] ?? run.attempt);
  const choices = choicesOf(items, attempt);
  const ranks = choices.filter((one) => one.rank !== undefined);
  // The server merges those of the newest attempt.
  const canMerge = ranks.length > 1 && attempt === run.attempt;
  const merged = canMerge && search.get("rank") === MERGED;
  const choice = chosen(choices, run, search);
  const merge = () => change({ rank: MERGED, log: null, find: null, at: null }, false);
  const pick = (one: Choice) => change({ rank: one.rank !== undefined ? one.id : null, log: one.rank === undefined ? one.id : null, find: null, at: null }, false);

  if (logs.error && !logs.data) return <Problem error={logs.error} retry={reload} />;
  if (!logs.data) return <Loading what="the logs" />;
  if (!choice) return <NoLog run={run} over={over} asked={items.length > 0} />;
  return (
    <section className="logs" aria-label="Logs">
      {(choices.length > 1 || attempts.length > 1) && (
        <div className="row log-choice">
          {choices.length <= MOST_BUTTONS ? (
            <Choices
              label="Which log"
              value={merged ? MERGED : choice.id}
              onChange={(id) => (id === MERGED ? merge() : pick(choices.find((one) => one.id === id)!))}
              values={[...(canMerge ? [{ id: MERGED, title: "All ranks", hint: "The lines of all ranks in the order in which they came" }] : []), ...choices.map((one) => ({ id: one.id, hint: `${one.log.name}, ${bytes(one.log.size)}`, title: <Title choice={one} failed={one.rank !== undefined && one.rank === run.error?.rank && attempt === run.attempt} /> }))]}
            />
          ) : (
            <label>
              Log{" "}
              <select value={merged ? MERGED : choice.id} onChange={(event) => (event.target.value === MERGED ? merge() : pick(choices.find((one) => one.id === event.target.value)!))}>
                {canMerge && <option value={MERGED}>All ranks</option>}
                {choices.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.title}
                    {one.rank !== undefined && one.rank === run.error?.rank ? " (failed first)" : ""}, {bytes(one.log.size)}
                  </option>
                ))}
              </select>
            </label>
          )}
          {attempts.length > 1 && (
            <label>
              Attempt{" "}
              <select value={attempt} onChange={(event) => change({ attempt: event.target.value, find: null, at: null }, false)}>
                {attempts.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
          )}
        </div>
      )}
      {merged ? <MergedLog run={run.id} logs={ranks.map(({ rank, log }) => ({ rank: rank!, size: log.size }))} /> : <Opened key={`${choice.log.attempt}/${choice.log.name}`} run={run} choice={choice} live={!over && (choice.log.attempt === run.attempt || choice.log.attempt === 0)} />}
    </section>
  );
}

function Title({ choice, failed }: { choice: Choice; failed: boolean }) {
  return (
    <>
      {choice.title}
      {failed && (
        <span className="log-failed">
          <span aria-hidden="true"> ✕</span>
          <span className="visually-hidden"> failed first</span>
        </span>
      )}
    </>
  );
}

function Opened({ run, choice, live }: { run: Run; choice: Choice; live: boolean }) {
  const file = useMemo(() => openLog(run.id, choice.log.attempt, choice.log.name), [run.id, choice.log.attempt, choice.log.name]);
  const [, opened] = useState(0);
  useEffect(() => {
    const stop = file.subscribe(() => opened(file.version));
    opened(file.version);
    return () => void stop();
  }, [file]);
  if (!file.opened) return file.error ? <Problem error={file.error} retry={() => file.retry()} /> : <div className="log-frame log-opening"><Loading what="the log" /></div>;
  return <LogPanel file={file} live={live} />;
}

function NoLog({ run, over, asked }: { run: Run; over: boolean; asked: boolean }) {
  if (asked) {
    return (
      <Empty title="There is no such log">
        <p>This attempt or rank wrote none. Take the log and attempt out of the address to see the others.</p>
      </Empty>
    );
  }
  return (
    <Empty title={over ? "This run wrote no log" : "There is no log yet"}>
      <p>{over ? "Whatever a script prints would be here." : `The run is ${run.status}. What its script prints comes here by itself.`}</p>
      <p>
        In a terminal: <code>roost logs -f {run.id}</code>
      </p>
    </Empty>
  );
}
