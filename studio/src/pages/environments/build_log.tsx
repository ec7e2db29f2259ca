// What a build printed, followed while it goes on.
import { useEffect, useRef, useState } from "react";
import { api, apiUrl, segment } from "../../lib/api";
import { Loading, Problem } from "../../ui/base";

/** Colours are left out, and of lines that were written over the last writing stays. */
export function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  const bare = text.replace(/\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g, "");
  return bare
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").replace(/^.*\r/, ""))
    .join("\n");
}

const MOST = 400_000;

export function BuildLog({ digest, growing }: { digest: string; growing: boolean }) {
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const box = useRef<HTMLPreElement>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    const path = apiUrl(`/environment-builds/${segment(digest)}/log`);
    const ask = () =>
      api.text(path).then(
        (all) => {
          if (over) return;
          setText(all);
          setProblem(undefined);
          if (growing) timer = setTimeout(ask, 1500);
        },
        (error: Error) => !over && setProblem(error),
      );
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [digest, growing, tries]);
  // While it grows its end is in sight.
  useEffect(() => {
    if (growing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, growing]);
  if (problem) return <Problem error={problem} retry={() => setTries(tries + 1)} />;
  if (text === undefined) return <Loading what="the log" />;
  if (text === "") return <p className="note">Nothing was printed{growing ? " yet" : ""}.</p>;
  return (
    <pre className="environments-log" ref={box} tabIndex={0} role="region" aria-label="Log of the build">
      {text.length > MOST && "… (the beginning is left out)\n"}
      {plain(text.slice(-MOST))}
    </pre>
  );
}
