// How to get into a run while it has processes, from a terminal.
import type { Run } from "../../../lib/api";
import { useMay } from "../../../lib/session";
import { Copy } from "../../../ui/base";

const TENSORBOARD_PORT = 6006;

export function Inside({ run }: { run: Run }) {
  const may = useMay("contributor");
  if (!may || run.status !== "Running" || run.nodes?.length === 0) return null;
  return (
    <section className="card" aria-labelledby="inside-title">
      <h2 id="inside-title">Get inside</h2>
      <dl className="facts">
        <dt>A shell</dt>
        <dd>
          <Copy text={`roost shell ${run.id}`} />
        </dd>
        <dt>TensorBoard</dt>
        <dd>
          <Copy text={`roost exec ${run.id} -- python -m tensorboard.main --logdir . --port ${TENSORBOARD_PORT}`} />
          <Copy text={`roost port-forward ${run.id} ${TENSORBOARD_PORT}`} />
        </dd>
      </dl>
      <p className="note">Beside its processes, with their files, variables and GPUs, until the run ends. What you do is in its history.</p>
    </section>
  );
}
