// An answer: how long it took and who gave it, the greatest scores as bars, all of it as JSON.
import { useMemo } from "react";
import { bytes } from "../../lib/format";
import { Code } from "../../ui/code";
import { areProbabilities, scoresIn, topOf, type Scores } from "./answer";
import { complaint, type Answered } from "./call_endpoint";
import { milliseconds } from "./facts";
import { readableJson } from "./sample";

const MOST = 200_000;

function Top({ scores, labels }: { scores: Scores; labels: readonly string[] }) {
  const top = topOf(scores.values);
  const fits = labels.length === scores.values.length;
  return (
    <figure className="endpoint-top">
      <figcaption>
        {scores.name || "Scores"} <span className="note">the greatest of {scores.values.length}{areProbabilities(scores.values) ? "" : ", as shares by softmax"}</span>
      </figcaption>
      <ol>
        {top.map(({ index, value, share }) => (
          <li key={index}>
            <span>{fits ? labels[index] : `#${index}`}</span>
            <span className="endpoint-top-bar" aria-hidden="true">
              <span style={{ width: `${100 * share}%` }} />
            </span>
            <span title={String(value)}>{(100 * share).toFixed(1)} %</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

export function AnswerView({ answer, labels }: { answer: Answered; labels: readonly string[] }) {
  const scores = useMemo(() => (answer.status === 200 ? scoresIn(answer.json).slice(0, 4) : []), [answer]);
  const text = useMemo(() => (answer.json === undefined ? answer.text : readableJson(answer.json)), [answer]);
  const good = answer.status >= 200 && answer.status < 300;
  return (
    <>
      <p className="row endpoint-answer-facts" role="status">
        <span className={`status ${good ? "status-Completed" : "status-Failed"}`}>{answer.status}</span>
        <strong>{milliseconds(answer.milliseconds)}</strong>
        {answer.deployment && <span>from {answer.deployment}</span>}
        {answer.version && <span>{answer.version}</span>}
        <span className="note">
          {bytes(answer.text.length)}
          {answer.requestId && `, request ${answer.requestId}`}
        </span>
      </p>
      {!good && <p className="endpoints-bad endpoint-complaint">{complaint(answer)}</p>}
      {scores.map((one) => (
        <Top key={one.name} scores={one} labels={labels} />
      ))}
      {text && <Code name="answer.json" text={text.length > MOST ? `${text.slice(0, MOST)}\n… (${bytes(text.length - MOST)} more)` : text} />}
    </>
  );
}
