// What can be written in the search box.
import { Menu } from "../../ui/base";

const EXAMPLES: [string, string][] = [
  ["birds", "the name, the id or the experiment contains it"],
  ["status:failed,canceled", "one of several; active and ended are words too"],
  ["experiment:birds user:ana", "both"],
  ["tags.owner=ana", "a tag; -tags.owner are the runs without it"],
  ["params.lr>0.01", "what followed --lr"],
  ["metrics.loss<0.3", "the last value of a metric"],
  ["duration>1h age<2d", "how long it ran, how long ago it was made"],
  ["created>=2026-11-01", "a date"],
  ["-status:completed", "not"],
  ["(status:failed or status:canceled) age<1w", "one or the other"],
  ["is:deleted", "runs in the bin"],
  ["is:archived", "archived runs; is:any for all, is:child for children"],
];

export function SearchHelp({ onExample }: { onExample: (example: string) => void }) {
  return (
    <Menu label="Syntax" align="right">
      <p className="note">Terms side by side must all hold. Put text with blanks in quotes.</p>
      <ul className="runs-examples">
        {EXAMPLES.map(([example, meaning]) => (
          <li key={example}>
            <button type="button" className="runs-example" onClick={() => onExample(example)}>
              <code>{example}</code>
            </button>
            <span className="note">{meaning}</span>
          </li>
        ))}
      </ul>
    </Menu>
  );
}
