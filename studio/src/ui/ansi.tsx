// A short text with the colours of a terminal.
import { useMemo } from "react";
import { parseLine, PLAIN } from "../lib/ansi";
import "./ansi.css";

export function AnsiText({ text }: { text: string }) {
  const lines = useMemo(() => {
    let pen = PLAIN;
    return text.split(/\r?\n/).map((line) => {
      const parsed = parseLine(line, pen);
      pen = parsed.pen;
      return parsed.spans;
    });
  }, [text]);
  return (
    <pre className="ansi-text">
      {lines.map((spans, i) => (
        <div key={i}>
          {spans.length === 0
            ? "\n"
            : spans.map((span, k) => (
                <span key={k} className={span.className} style={span.style}>
                  {span.text}
                </span>
              ))}
        </div>
      ))}
    </pre>
  );
}
