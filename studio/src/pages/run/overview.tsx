// What a run is and how it went, at a glance.
import { api, segment, type Run } from "../../lib/api";
import { useSharedRun } from "./shared";
import { useMay } from "../../lib/session";
import { attempt } from "../../ui/notify";
import { NOTE_TAG, NoteCard, withoutNote } from "../../ui/note";
import { TagEditor, TagList } from "../../ui/tags";
import type { TabProps } from "../run";
import { Code, Facts, Properties } from "./overview/facts";
import { Headlines } from "./overview/headlines";
import { Inside } from "./overview/inside";
import { Models } from "./overview/models";
import { RootCause } from "./overview/root_cause";
import { Timeline } from "./overview/timeline";
import "./overview/overview.css";

/** Of the 16,000 bytes that the server takes, in characters of any language. */
const MOST_NOTE = 5000;

function Note({ run }: { run: Run }) {
  const may = useMay("contributor");
  const onRun = useSharedRun();
  const text = run.tags[NOTE_TAG] ?? "";
  const save = (note: string) => attempt(api.patch<Run>(`/runs/${segment(run.id)}`, note === "" ? { remove_tags: [NOTE_TAG] } : { tags: { [NOTE_TAG]: note } }).then(onRun));
  if (text === "" && !may) return null;
  return (
    <section className="card" aria-label="Note">
      <NoteCard title="Note" text={text} may={may} most={MOST_NOTE} onSave={save} />
    </section>
  );
}

function Tags({ run }: { run: Run }) {
  const may = useMay("contributor");
  const onRun = useSharedRun();
  const tags = withoutNote(run.tags);
  return (
    <section className="card" aria-labelledby="tags-title">
      <h2 id="tags-title">Tags</h2>
      {may ? (
        <TagEditor tags={tags} onChange={(change) => void attempt(api.patch<Run>(`/runs/${segment(run.id)}`, change).then(onRun))} />
      ) : (
        <TagList tags={tags} />
      )}
    </section>
  );
}

export default function OverviewTab({ run }: TabProps) {
  return (
    <div className="overview">
      <div className="overview-main">
        <RootCause run={run} />
        {run.notices.length > 0 && (
          <section className="card overview-notices" aria-labelledby="notices-title">
            <h2 id="notices-title">Notices</h2>
            <ul>
              {run.notices.map((notice, i) => (
                <li key={i}>{notice}</li>
              ))}
            </ul>
          </section>
        )}
        <Note run={run} />
        <Timeline run={run} />
        <Headlines run={run} />
        <Code run={run} />
      </div>
      <div className="overview-side">
        <Tags run={run} />
        <Facts run={run} />
        <Inside run={run} />
        <Models run={run} />
        <Properties run={run} />
      </div>
    </div>
  );
}
