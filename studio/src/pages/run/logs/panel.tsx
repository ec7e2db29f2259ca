// A log with what one does to it: follow, search, first error, go to, download.
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { bytes } from "../../../lib/format";
import { useLive } from "../../../lib/live";
import { useSearch } from "../../../lib/route";
import { Button, Empty, Problem } from "../../../ui/base";
import { notify } from "../../../ui/notify";
import { ticks } from "./bar";
import { FindBar } from "./find_bar";
import type { LogFile } from "./log_file";
import { firstError, step, useLogSearch } from "./search";
import { Viewer, type ViewerHandle } from "./viewer";

export function LogPanel({ file, live }: { file: LogFile; live: boolean }) {
  useSyncExternalStore(file.subscribe, () => file.version);
  const [search, change] = useSearch();
  const wrap = search.get("wrap") === "on";
  const text = search.get("text") ?? "";
  const at = search.get("at") === null ? undefined : Number(search.get("at"));
  const [atEnd, setAtEnd] = useState(true);
  const [looking, setLooking] = useState(false);
  const viewer = useRef<ViewerHandle>(null);
  const field = useRef<HTMLInputElement>(null);
  const found = useLogSearch(file, text);

  useLive(live ? () => `log/${file.run}/${file.attempt}/${file.size}/${file.name}` : null, (event) => {
    if (event.type === "log") file.append(event.offset, event.next, event.text);
    else if (event.type === "reset") file.catchUp();
  });
  // The last lines may come after the run has ended.
  useEffect(() => {
    if (!live) file.catchUp();
  }, [live, file]);

  const show = useCallback((offset: number) => viewer.current?.show(offset), []);
  const link = useCallback((offset: number) => change({ at: String(offset), find: null }), [change]);
  const toFirstError = useCallback(async () => {
    setLooking(true);
    try {
      const offset = await firstError(file);
      if (offset === null) {
        notify("No line of this log looks like an error.");
        return;
      }
      change({ at: String(offset), find: "first-error" });
      show(offset);
      viewer.current?.focus();
    } catch (error) {
      notify((error as Error).message, true);
    } finally {
      setLooking(false);
    }
  }, [file, change, show]);

  // What the address asks for on arrival.
  const arrived = useRef(false);
  useEffect(() => {
    if (arrived.current) return;
    arrived.current = true;
    if (search.get("find") === "first-error") void toFirstError();
    else if (at !== undefined) show(at);
  });

  const toMatch = (back: boolean) => {
    if (!found || found.matches.length === 0) return;
    const offset = found.matches[step(found.matches, at ?? viewer.current?.top() ?? -1, back)]!.offset;
    link(offset);
    show(offset);
  };

  return (
    <>
      <div className="row log-tools">
        <FindBar
          text={text}
          found={found}
          at={at}
          field={field}
          onText={(value) => change({ text: value || null, at: null, find: null })}
          onStep={toMatch}
          onPick={(offset) => {
            link(offset);
            show(offset);
          }}
        />
        <Button small disabled={looking} onClick={() => void toFirstError()}>
          {looking ? "Looking …" : "First error"}
        </Button>
        <GoTo file={file} viewer={viewer} />
        <label className="row">
          <input type="checkbox" checked={wrap} onChange={(event) => change({ wrap: event.target.checked ? "on" : null })} /> Wrap lines
        </label>
        <span className="log-size note">{bytes(file.size)}</span>
        <a className="button small" href={file.url({ download: true })} download>
          Download
        </a>
      </div>
      {file.error && <Problem error={file.error} retry={() => file.retry()} />}
      {file.size === 0 ? (
        <Empty title={live ? "Nothing was printed yet" : "This log is empty"}>
          <p>{live ? "Lines come here as they are written." : "The process printed nothing."}</p>
        </Empty>
      ) : (
        <div className="log-place">
          <Viewer ref={viewer} file={file} wrap={wrap} query={text} marked={at} ticks={found ? ticks(found.matches.map((match) => match.offset), file.size) : []} onEnd={setAtEnd} onFind={() => field.current?.select()} onLink={link} />
          <div className="log-follow" role="status">
            {live && atEnd && <span className="live on">following</span>}
            {!atEnd && (
              <Button small kind={live ? "main" : "plain"} onClick={() => viewer.current?.end()}>
                {live ? "Follow" : "To the end"} <span aria-hidden="true">↓</span>
              </Button>
            )}
          </div>
        </div>
      )}
    </>
  );
}

function GoTo({ file, viewer }: { file: LogFile; viewer: React.RefObject<ViewerHandle | null> }) {
  const [text, setText] = useState("");
  const go = () => {
    const found = /^\s*([\d.,]+)\s*(%?)\s*$/.exec(text);
    const value = found ? Number(found[1]!.replaceAll(",", "")) : NaN;
    if (!found || !Number.isFinite(value)) notify("Give a part of the log such as 50%, or a byte such as 1000000.", true);
    else viewer.current?.goTo(found[2] ? value / 100 : value / Math.max(1, file.size));
  };
  return (
    <form
      className="row log-goto"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <Button small onClick={() => viewer.current?.goTo(0)}>
        Start
      </Button>
      <Button small onClick={() => viewer.current?.end()}>
        End
      </Button>
      <input type="text" aria-label="Go to a part (50%) or byte of the log" placeholder="50% or byte" value={text} onChange={(event) => setText(event.target.value)} />
    </form>
  );
}
