// The processes of a run, node by node, and which of them failed first.
import { api, segment, type Schemas } from "../../lib/api";
import { useLive } from "../../lib/live";
import { useResource } from "../../lib/resource";
import { runPath } from "../../lib/route";
import { Empty, isOver, Link, Loading, Problem, Time } from "../../ui/base";
import type { TabProps } from "../run";
import { byNode, countsOf, wordOf, type Rank } from "./ranks/words";
import "./ranks/ranks.css";

function logOf(run: string, rank: Rank): string {
  return `${runPath(run, "logs")}?rank=${rank.rank}${rank.role === "root_cause" ? "&find=first-error" : ""}`;
}

function Square({ run, rank }: { run: string; rank: Rank }) {
  const word = wordOf(rank);
  return (
    <Link href={logOf(run, rank)} className={`rank rank-${word.look}`} title={`Rank ${rank.rank}: ${word.text}. Opens its log.`}>
      <b>{rank.rank}</b>
      <span>
        <span aria-hidden="true">{word.mark}</span> {word.text}
      </span>
    </Link>
  );
}

export default function RanksTab({ run }: TabProps) {
  const { data, error, loading, reload } = useResource(`ranks/${run.id}`, () => api.get<{ items: Schemas["Rank"][] }>(`/runs/${segment(run.id)}/ranks`));
  useLive(`ranks/${run.id}`, (event) => {
    if (event.type === "ranks" || event.type === "reset") reload();
  });
  if (loading) return <Loading what="ranks" />;
  if (!data) return error ? <Problem error={error} retry={reload} /> : null;
  if (data.items.length === 0) {
    return (
      <Empty title={isOver(run.status) ? "It had no processes" : "Its processes have not started"}>
        <p>{isOver(run.status) ? "The run ended before its script was started, or it ran outside of Roost." : "They show here, node by node, as soon as the run has its nodes."}</p>
        <pre>roost submit -e birds --nodes 2 --processes 4 -- python train.py</pre>
      </Empty>
    );
  }
  const first = data.items.find((rank) => rank.role === "root_cause");
  return (
    <div className="ranks">
      {error && <Problem error={error} retry={reload} />}
      <p>
        {data.items.length} {data.items.length === 1 ? "process" : "processes"}: {countsOf(data.items)}
        {run.attempt > 1 && `, attempt ${run.attempt}`}.{" "}
        {first && (
          <>
            Rank {first.rank} failed first. <Link href={logOf(run.id, first)}>Show its error</Link>
          </>
        )}
      </p>
      <div className="ranks-nodes">
        {byNode(data.items).map(([node, ranks]) => (
          <section key={node} className="card" aria-label={`Node ${node}`}>
            <h2>
              <span className="note">node {ranks[0]!.node_rank}</span> {node}
            </h2>
            <div className="ranks-grid">
              {ranks.map((rank) => (
                <Square key={rank.rank} run={run.id} rank={rank} />
              ))}
            </div>
          </section>
        ))}
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Processes">
        <table>
          <caption className="visually-hidden">Processes of the run</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                Rank
              </th>
              <th scope="col">State</th>
              <th scope="col">Node</th>
              <th scope="col" className="number">
                Local rank
              </th>
              <th scope="col" className="number">
                Exit code
              </th>
              <th scope="col">Signal</th>
              <th scope="col">Ended</th>
              <th scope="col">Log</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((rank) => {
              const word = wordOf(rank);
              return (
                <tr key={rank.rank} className={rank.role === "root_cause" ? "ranks-first" : ""}>
                  <td className="number">{rank.rank}</td>
                  <td>
                    <span className={`rank-word rank-${word.look}`}>
                      <span aria-hidden="true">{word.mark}</span> {word.text}
                    </span>
                  </td>
                  <td>{rank.node}</td>
                  <td className="number">{rank.local_rank}</td>
                  <td className="number">{rank.exit_code ?? "–"}</td>
                  <td>{rank.signal ?? "–"}</td>
                  <td>
                    <Time at={rank.ended_at} />
                  </td>
                  <td>
                    <Link href={logOf(run.id, rank)}>{rank.log}</Link>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}
