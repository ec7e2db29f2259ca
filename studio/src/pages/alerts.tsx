// Who is told of what happens to runs: channels, rules, and what was sent.
import { useState } from "react";
import { api, segment, type Schemas } from "../lib/api";
import { useFresh, useResource } from "../lib/resource";
import { runPath } from "../lib/route";
import { useMay } from "../lib/session";
import { Button, Empty, Link, Loading, Problem, Time } from "../ui/base";
import { useDesktopAlerts } from "../ui/desktop_alerts";
import { attempt, notify } from "../ui/notify";
import { NewChannel } from "./alerts/new_channel";
import { NewRule } from "./alerts/new_rule";
import "./alerts.css";

type Channel = Schemas["Channel"];

const target = (channel: Channel): string => (channel.kind === "mail" ? (channel.settings.to ?? []).join(", ") : (channel.settings.host ?? "open pages of the studio"));

function Desktop() {
  const [state, change] = useDesktopAlerts();
  if (state === "missing") return null;
  return (
    <p className="note">
      {state === "refused" && "This browser does not show notifications of this page: its settings say so."}
      {state !== "refused" && (
        <label>
          <input type="checkbox" checked={state === "on"} onChange={(event) => void change(event.target.checked)} /> Show alerts of desktop channels as notifications of this browser,
          while the studio is open
        </label>
      )}
    </p>
  );
}

const STATES = { sent: "status-Completed", waiting: "", failed: "status-Failed" } as const;

function Log({ alerts }: { alerts: readonly Schemas["Alert"][] }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="What was sent">
      <table>
        <thead>
          <tr>
            <th>When</th>
            <th>What</th>
            <th>Event</th>
            <th>Channel</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <tr key={alert.id}>
              <td className="alerts-time">
                <Time at={alert.at} />
              </td>
              <td className="alerts-what">
                {alert.run ? <Link href={runPath(alert.run)}>{alert.message}</Link> : alert.message}
                {alert.error && <div className="alerts-error">{alert.error}</div>}
              </td>
              <td>{alert.event}</td>
              <td>{alert.channel}</td>
              <td>
                <span className={`status ${STATES[alert.state]}`}>{alert.state}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export default function AlertsPage({ workspace }: { workspace: string }) {
  const path = `/workspaces/${segment(workspace)}`;
  const [may, owns] = [useMay("contributor"), useMay("owner")];
  const [making, setMaking] = useState<"channel" | "rule">();
  const channels = useResource<Schemas["ChannelList"]>("channels", () => api.get("/alerts/channels"));
  const rules = useResource<Schemas["AlertRuleList"]>(`alert-rules/${workspace}`, () => api.get(`${path}/alert-rules`));
  const log = useResource<Schemas["AlertList"]>(`alerts/${workspace}`, () => api.get(`${path}/alerts`));
  const reload = () => {
    channels.reload();
    rules.reload();
    log.reload();
  };
  useFresh(reload);
  const test = async (channel: Channel) => {
    await attempt(
      api.post<Schemas["Alert"]>(`/alerts/channels/${segment(channel.name)}/test`).then((alert) =>
        alert.state === "sent" ? notify(`Sent to ${channel.name}.`) : notify(`${channel.name} could not be reached: ${alert.error ?? ""}`, true),
      ),
    );
    log.reload();
  };
  const remove = async (what: string, done: string) => {
    if (await attempt(api.remove(what), done)) reload();
  };
  const items = channels.data?.items ?? [];
  const asked = rules.data?.items ?? [];
  return (
    <>
      <div className="head">
        <h1>Alerts</h1>
        {owns && (
          <Button kind="main" className="spring" onClick={() => setMaking("channel")}>
            New channel
          </Button>
        )}
      </div>
      {channels.error && <Problem error={channels.error} retry={reload} />}
      {channels.loading && <Loading what="the channels" />}
      {channels.data && items.length === 0 && (
        <Empty title="Nobody is told yet">
          <p>A channel is where alerts go: a webhook, Slack, mail, or the notifications of browsers. {!owns && "Owners make them."}</p>
          <pre>roost alerts add team --webhook https://example.org/hook --on failure,hang</pre>
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="alerts-list" aria-label="Channels">
          {items.map((channel) => (
            <li key={channel.name}>
              <strong>{channel.name}</strong> <span className="note">{channel.kind}</span> <span className="alerts-target">{target(channel)}</span>
              <span className="alerts-actions">
                {may && (
                  <Button small aria-label={`Test ${channel.name}`} onClick={() => void test(channel)}>
                    Test
                  </Button>
                )}
                {owns && (
                  <Button small kind="quiet" aria-label={`Remove ${channel.name}`} onClick={() => void remove(`/alerts/channels/${segment(channel.name)}`, `${channel.name} is told no more.`)}>
                    Remove
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Desktop />
      {items.length > 0 && (
        <>
          <div className="head alerts-part">
            <h2>Rules</h2>
            {may && (
              <Button small className="spring" onClick={() => setMaking("rule")}>
                New rule
              </Button>
            )}
          </div>
          {asked.length === 0 && <p className="note">None. A single run asks by itself: roost submit --notify {items[0]!.name}</p>}
          <ul className="alerts-list" aria-label="Rules">
            {asked.map((rule) => (
              <li key={rule.id}>
                <span className="alerts-target">
                  {rule.events.join(", ")} of {rule.experiment ? `runs of ${rule.experiment}` : "all runs"} to <strong>{rule.channel}</strong>
                </span>
                {may && (
                  <Button small kind="quiet" aria-label={`Remove the rule ${rule.id}`} onClick={() => void remove(`${path}/alert-rules/${rule.id}`, "The rule is gone.")}>
                    Remove
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {(log.data?.items.length ?? 0) > 0 && (
        <>
          <h2 className="alerts-part">Sent</h2>
          <Log alerts={log.data!.items} />
        </>
      )}
      {making === "channel" && <NewChannel onDone={reload} onClose={() => setMaking(undefined)} />}
      {making === "rule" && <NewRule workspace={workspace} channels={items} onDone={reload} onClose={() => setMaking(undefined)} />}
    </>
  );
}
