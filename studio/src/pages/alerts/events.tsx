// The events that people can be told of.
export const EVENTS = [
  ["end", "a run ended"],
  ["failure", "a run failed"],
  ["hang", "a run seems to hang"],
  ["divergence", "a metric became NaN or infinite"],
  ["idle_gpu", "GPUs without work"],
  ["low_disk", "the server's disk gets full"],
] as const;
export type AlertEvent = (typeof EVENTS)[number][0];

export function EventChoice({ chosen, onChange }: { chosen: readonly AlertEvent[]; onChange: (events: AlertEvent[]) => void }) {
  return (
    <fieldset className="alerts-events">
      <legend>Of what</legend>
      {EVENTS.map(([event, title]) => (
        <label key={event}>
          <input type="checkbox" checked={chosen.includes(event)} onChange={(change) => onChange(change.target.checked ? [...chosen, event] : chosen.filter((one) => one !== event))} /> {title}
        </label>
      ))}
    </fieldset>
  );
}
