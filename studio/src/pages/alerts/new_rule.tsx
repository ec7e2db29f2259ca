// Tells a channel of more.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { Field, FormDialog } from "../../ui/form";
import { EventChoice, type AlertEvent } from "./events";

interface Props {
  workspace: string;
  channels: readonly Schemas["Channel"][];
  onDone: () => void;
  onClose: () => void;
}

export function NewRule({ workspace, channels, onDone, onClose }: Props) {
  const [channel, setChannel] = useState(channels[0]?.name ?? "");
  const [experiment, setExperiment] = useState("");
  const [events, setEvents] = useState<AlertEvent[]>(["failure"]);
  const save = async () => {
    await api.post(`/workspaces/${segment(workspace)}/alert-rules`, { channel, events, ...(experiment ? { experiment } : {}) });
    onDone();
  };
  return (
    <FormDialog title="New rule" action="Save" ready={events.length > 0} act={save} onClose={onClose}>
      <Field label="Tell">
        {(ids) => (
          <select {...ids} value={channel} onChange={(event) => setChannel(event.target.value)}>
            {channels.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      <EventChoice chosen={events} onChange={setEvents} />
      <Field label="Only of the experiment">{(ids) => <input {...ids} type="text" value={experiment} onChange={(event) => setExperiment(event.target.value)} />}</Field>
    </FormDialog>
  );
}
