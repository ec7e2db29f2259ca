// When there is no run to show.
import { Button, Copy, Empty } from "../../ui/base";

const COMMAND = "roost submit --experiment my-first -- python train.py";
const SDK = `from azureml.core import Experiment, ScriptRunConfig, Workspace

ws = Workspace.from_config()
Experiment(ws, "my-first").submit(ScriptRunConfig(source_directory=".", script="train.py"))`;

export function NoRuns() {
  return (
    <Empty title="No runs yet">
      <p>Submit one from a terminal, in the folder of your code:</p>
      <p className="runs-command">
        <Copy text={COMMAND} />
      </p>
      <p>or from Python:</p>
      <pre tabIndex={0}>{SDK}</pre>
      <p>It shows up here by itself.</p>
    </Empty>
  );
}

export function NothingFound({ q, children, onClear, onChildren }: { q: string; children: boolean; onClear: () => void; onChildren: () => void }) {
  return (
    <Empty title="No run fits the search">
      <p>
        Nothing in this workspace matches <code>{q}</code>.
      </p>
      <p className="row runs-center">
        <Button kind="main" onClick={onClear}>
          Clear the search
        </Button>
        {!children && <Button onClick={onChildren}>Look among children too</Button>}
      </p>
    </Empty>
  );
}
