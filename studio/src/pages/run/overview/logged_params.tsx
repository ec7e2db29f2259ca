import type { Run } from "../../../lib/api";
import { argumentsOf, commandWords, loggedParams } from "./params";

/** What the run logged as parameters; a run of roost.init has its configuration here. */
export function LoggedParams({ run }: { run: Run }) {
  const { command, arguments: words = [] } = run.spec;
  const params = loggedParams(run.params ?? {}, argumentsOf(command ? commandWords(command) : words));
  if (params.length === 0) return null;
  return (
    <section className="card" aria-labelledby="params-title">
      <h2 id="params-title">Parameters</h2>
      <div className="scroll" tabIndex={0} role="region" aria-labelledby="params-title">
        <table>
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {params.map(([name, value]) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td className="overview-value">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
