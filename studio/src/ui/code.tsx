// A file of code: line numbers, colours, a marked line.
import { useEffect, useMemo, useRef, useState } from "react";
import { count } from "../lib/format";
import { linesOf } from "../lib/diff";
import { Button } from "./base";
import { languageOf, MOST_COLOURED, tokensOf, type Token } from "./code/tokens";
import "./code/code.css";

const STEP = 3000;

interface CodeProps {
  text: string;
  name: string;
  /** A line (from 1) that is marked and scrolled to. */
  line?: number | undefined;
  /** Makes line numbers buttons. */
  onLine?: (line: number) => void;
}

export function Code({ text, name, line, onLine }: CodeProps) {
  const lines = useMemo(() => linesOf(text), [text]);
  const tokens = useTokens(text, name);
  const [most, setMost] = useState(STEP);
  const shown = Math.min(lines.length, Math.max(most, line && line <= lines.length ? line + 100 : 0));
  const box = useRef<HTMLDivElement>(null);
  const marked = useRef<HTMLDivElement>(null);
  // Only the box moves: a page that jumps as well would hide what is above it.
  useEffect(() => {
    const element = marked.current;
    const frame = box.current;
    if (!element || !frame) return;
    const top = element.offsetTop - frame.scrollTop;
    if (top < 0 || top > frame.clientHeight - 40) frame.scrollTop = element.offsetTop - frame.clientHeight / 3;
  }, [line, name]);

  return (
    <div ref={box} className="code" role="region" aria-label={`Contents of ${name}`} tabIndex={0}>
      <pre style={{ "--digits": `${String(lines.length).length}ch` } as React.CSSProperties}>
        {lines.slice(0, shown).map((one, i) => (
          <div key={i} className={i + 1 === line ? "code-line marked" : "code-line"} ref={i + 1 === line ? marked : undefined}>
            {onLine ? (
              <button type="button" tabIndex={-1} className="code-number" data-number={i + 1} aria-label={`Line ${i + 1}`} onClick={() => onLine(i + 1)} />
            ) : (
              <span className="code-number" data-number={i + 1} />
            )}
            <code>
              <Tokens tokens={tokens?.[i] ?? [{ text: one }]} />
            </code>
          </div>
        ))}
      </pre>
      {shown < lines.length && (
        <p className="code-more">
          <Button small onClick={() => setMost(shown + STEP)}>
            Show {count(Math.min(STEP, lines.length - shown))} more of {count(lines.length)} lines
          </Button>
        </p>
      )}
    </div>
  );
}

export function Tokens({ tokens }: { tokens: Token[] }) {
  return tokens.map((token, i) => (token.scope ? <span key={i} className={`hl-${token.scope.replace(/[^a-z_-]/g, "")}`}>{token.text}</span> : token.text));
}

/** undefined until there are colours, or when there are none for such a file. */
export function useTokens(text: string, name: string): Token[][] | undefined {
  const language = text.length <= MOST_COLOURED ? languageOf(name) : undefined;
  const [made, setMade] = useState<{ text: string; tokens: Token[][] }>();
  useEffect(() => {
    if (!language) return;
    let current = true;
    void tokensOf(text.replaceAll("\r\n", "\n"), language).then((tokens) => current && setMade({ text, tokens }));
    return () => {
      current = false;
    };
  }, [text, language]);
  return language && made?.text === text ? made.tokens : undefined;
}
