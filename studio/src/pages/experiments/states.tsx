// How many runs of an experiment are in which state.
import { count } from "../../lib/format";
import { STATUS_ORDER, Status } from "../../ui/base";

export function States({ statuses }: { statuses: Record<string, number> | undefined }) {
  if (!statuses) return <span className="note">–</span>;
  return (
    <span className="row experiments-states">
      {STATUS_ORDER.filter((status) => statuses[status]).map((status) => (
        <span key={status} title={`${count(statuses[status]!)} ${status}`}>
          <Status status={status} /> {count(statuses[status]!)}
        </span>
      ))}
    </span>
  );
}
