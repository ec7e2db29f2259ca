// Tells a channel of more.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { FormDialog } from "../../ui/form";
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
    if (events.length === 0) throw new Error("choose at least one event");
    await api.post(`/workspaces/${segment(workspace)}/alert-rules`, { channel, events, ...(experiment ? { experiment } : {}) });
    onDone();
  };
  return (
    <FormDialog title="New rule" action="Save" act={save} onClose={onClose}>
      <label>
        Tell
        <select value={channel} onChange={(event) => setChannel(event.target.value)}>
          {channels.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
      </label>
      <EventChoice chosen={events} onChange={setEvents} />
      <label>
        Only of the experiment
        <input value={experiment} onChange={(event) => setExperiment(event.target.value)} />
      </label>
    </FormDialog>
  );
}
