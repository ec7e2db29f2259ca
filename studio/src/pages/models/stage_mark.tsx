import { stageOf } from "./stage";

const LOOK: Record<string, string> = { Production: "status-Completed", Staging: "status-Queued", Archived: "" };

export function StageMark({ tags }: { tags: Record<string, string | null> }) {
  const stage = stageOf(tags);
  return stage === "None" ? <span className="note">–</span> : <span className={`status ${LOOK[stage] ?? ""}`}>{stage}</span>;
}
