// Who is asked how often: sliders that make a hundred, copies of requests to a deployment whose answers nobody gets, and the way back.
import { useState } from "react";
import { updateEndpoint, type Endpoint, type Shares, type Statistics } from "../../lib/endpoint";
import { useMay } from "../../lib/session";
import { Button } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { notify } from "../../ui/notify";
import { colorOf } from "./facts";
import { RollBackDialog } from "./roll_back";
import { ShareBar } from "./share_bar";
import { changesOf, measuredShares, nonZero, sameShares, sharesOf, sharesText, withShare } from "./traffic";

interface Props {
  endpoint: Endpoint;
  names: readonly string[];
  statistics: Statistics | undefined;
  onEndpoint: (endpoint: Endpoint) => void;
}
interface Draft {
  traffic: Shares;
  shadow: Shares;
}

function Sliders({ names, draft, measured, onDraft }: { names: readonly string[]; draft: Draft; measured: Shares; onDraft: (draft: Draft) => void }) {
  return (
    <ul className="endpoint-sliders">
      {names.map((name) => {
        const share = draft.traffic[name] ?? 0;
        const shadow = draft.shadow[name] ?? 0;
        const setShare = (percent: number) => onDraft({ ...draft, traffic: withShare(draft.traffic, name, percent) });
        return (
          <li key={name}>
            <span className="endpoint-slider-name">
              <span className="endpoint-dot" style={{ background: `var(${colorOf(names, name)})` }} aria-hidden="true" /> {name}
            </span>
            <input type="range" min={0} max={100} value={share} aria-label={`Traffic to ${name}`} aria-valuetext={`${share} percent`} onChange={(event) => setShare(event.target.valueAsNumber)} />
            <label className="endpoint-percent">
              <span className="visually-hidden">Percent to {name}</span>
              <input type="number" min={0} max={100} value={share} onChange={(event) => setShare(event.target.valueAsNumber)} /> %
            </label>
            <label className="endpoint-shadow" title="Requests are copied to it; its answers are counted and thrown away">
              <input type="checkbox" checked={shadow > 0} onChange={(event) => onDraft({ ...draft, shadow: { ...draft.shadow, [name]: event.target.checked ? 100 : 0 } })} /> shadow
              <span className="visually-hidden"> for {name}</span>
            </label>
            <span className="endpoint-percent">
              {shadow > 0 && (
                <label>
                  <span className="visually-hidden">Percent copied to {name}</span>
                  <input type="number" min={1} max={100} value={shadow} onChange={(event) => onDraft({ ...draft, shadow: { ...draft.shadow, [name]: Math.max(1, Math.min(100, Math.round(event.target.valueAsNumber || 1))) } })} /> %
                </label>
              )}
            </span>
            <span className="note">got {Math.round(100 * (measured[name] ?? 0))} %</span>
          </li>
        );
      })}
    </ul>
  );
}

export function TrafficPanel({ endpoint, names, statistics, onEndpoint }: Props) {
  const may = useMay("contributor");
  const [draft, setDraft] = useState<Draft>();
  const [box, setBox] = useState<"apply" | "back">();
  const { workspace, name } = endpoint;
  const now: Draft = { traffic: sharesOf(names, endpoint.traffic), shadow: sharesOf(names, endpoint.shadow ?? {}) };
  // A draft made for other deployments than there are now is none.
  const kept = draft && names.every((one) => one in draft.traffic) && Object.keys(draft.traffic).length === names.length ? draft : undefined;
  const shown = kept ?? now;
  const traffic = !sameShares(shown.traffic, now.traffic);
  const shadow = !sameShares(shown.shadow, now.shadow);
  const counts = Object.fromEntries(names.map((one) => [one, statistics?.deployments.find((each) => each.name === one)?.requests ?? 0]));
  const measured = measuredShares(counts);
  const answered = Object.values(counts).some((count) => count > 0);
  const changes = [...changesOf(now.traffic, shown.traffic), ...changesOf(now.shadow, shown.shadow).map((text) => `shadow of ${text}`)];
  const apply = async () => {
    const change = { ...(traffic && { traffic: nonZero(shown.traffic) }), ...(shadow && { shadow: nonZero(shown.shadow) }) };
    onEndpoint(await updateEndpoint(workspace, name, change));
    setDraft(undefined);
    notify(`Traffic of ${name}: ${sharesText(shown.traffic)}`);
  };
  if (names.length === 0) return null;
  return (
    <section className="card endpoint-traffic" aria-labelledby="traffic-title">
      <div className="row">
        <h2 id="traffic-title">Traffic</h2>
        <span className="note">{sharesText(now.traffic)}</span>
        {may && endpoint.revision > 1 && (
          <Button className="spring" onClick={() => setBox("back")}>
            Roll back …
          </Button>
        )}
      </div>
      <div className="endpoint-bars">
        <span className="note">{kept ? "will go" : "goes"} to</span>
        <ShareBar names={names} shares={shown.traffic} label={`Traffic ${kept ? "will go" : "goes"} to ${sharesText(shown.traffic)}`} />
        <span className="note">went to</span>
        {answered ? <ShareBar names={names} shares={measured} label={`Requests since the front's start went to ${names.map((one) => `${one} ${Math.round(100 * measured[one]!)} %`).join(", ")}`} /> : <span className="note">no request yet</span>}
      </div>
      {may && (
        <>
          {names.length > 1 && <Sliders names={names} draft={shown} measured={measured} onDraft={setDraft} />}
          {names.length === 1 && <p className="note">With a second deployment, traffic can be split between them, or be copied to it (shadow) before it answers anyone.</p>}
          {(traffic || shadow) && (
            <div className="row">
              <Button kind="main" onClick={() => setBox("apply")}>
                Apply …
              </Button>
              <Button onClick={() => setDraft(undefined)}>Undo</Button>
              <span className="note" role="status">
                {changes.join("; ")}
              </span>
            </div>
          )}
        </>
      )}
      {!may && Object.keys(nonZero(now.shadow)).length > 0 && <p className="note">Copies of requests go to {sharesText(now.shadow)}; their answers are thrown away.</p>}
      {box === "apply" && (
        <FormDialog title={`Change the traffic of ${name}`} action="Apply" act={apply} onClose={() => setBox(undefined)}>
          <ul>
            {changes.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <p className="note">It holds for requests that come from now on; those under way are answered where they are.</p>
        </FormDialog>
      )}
      {box === "back" && (
        <RollBackDialog
          endpoint={endpoint}
          onEndpoint={(next) => {
            setDraft(undefined);
            onEndpoint(next);
          }}
          onClose={() => setBox(undefined)}
        />
      )}
    </section>
  );
}
