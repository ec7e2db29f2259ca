// Notifications of this browser, for alerts of channels of the kind "desktop", while a page of the studio is open. Each browser asks
// for them by itself, on the page Alerts.
import { useEffect, useSyncExternalStore } from "react";
import { useLive } from "../lib/live";
import { navigate, runPath } from "../lib/route";

const KEY = "roost-desktop-alerts";
const watchers = new Set<() => void>();
const isOn = (): boolean => "Notification" in window && Notification.permission === "granted" && localStorage.getItem(KEY) === "on";

export type DesktopState = "on" | "off" | "refused" | "missing";

function state(): DesktopState {
  if (!("Notification" in window)) return "missing";
  if (Notification.permission === "denied") return "refused";
  return isOn() ? "on" : "off";
}

/** Whether this browser shows them, and a way to change that; the browser asks the user itself. */
export function useDesktopAlerts(): [DesktopState, (on: boolean) => Promise<void>] {
  const now = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    state,
  );
  const change = async (on: boolean) => {
    if (on) await Notification.requestPermission();
    localStorage.setItem(KEY, on ? "on" : "off");
    watchers.forEach((watcher) => watcher());
  };
  return [now, change];
}

function Listening({ workspace }: { workspace: string }) {
  useLive(`alerts/${workspace}`, (event) => {
    if (event.type !== "alert") return;
    const { id, run, experiment, message } = event.alert;
    // Several tabs hear of it; the browser shows one of the same tag.
    const shown = new Notification(experiment ? `${experiment}: ${event.alert.event}` : `Roost: ${event.alert.event}`, { body: message, tag: id });
    shown.onclick = () => {
      window.focus();
      if (run) navigate(runPath(run));
    };
  });
  return null;
}

export function DesktopAlerts({ workspace }: { workspace: string }) {
  const [now] = useDesktopAlerts();
  useEffect(() => {
    document.body.dataset.desktopAlerts = now;
  }, [now]);
  return now === "on" ? <Listening key={workspace} workspace={workspace} /> : null;
}
