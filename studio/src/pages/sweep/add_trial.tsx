// Asks for the parameters of a trial that a person makes.
import { useState } from "react";
import { addTrial, type Sweep, type SweepDimension } from "../../lib/sweep";
import { Field, FormDialog } from "../../ui/form";
import { notify } from "../../ui/notify";
import { drawnText, firstFields, handParameters, handProblems, isChoice, shownOf } from "./hand";
import { labelOf, textOf } from "./trials";

function Input({ dimension, text, wrong, onText }: { dimension: SweepDimension; text: string; wrong: string | undefined; onText: (text: string) => void }) {
  return (
    <Field label={labelOf(dimension.name)} help={isChoice(dimension) ? undefined : `The sweep draws ${drawnText(dimension)}.`} wrong={wrong}>
      {(ids) =>
        isChoice(dimension) ? (
          <select {...ids} value={text} onChange={(event) => onText(event.target.value)}>
            {dimension.values.map(textOf).map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        ) : (
          <input {...ids} type="text" inputMode="decimal" autoComplete="off" value={text} onChange={(event) => onText(event.target.value)} />
        )
      }
    </Field>
  );
}

export function AddTrialDialog({ sweep, onAdded, onClose }: { sweep: Sweep; onAdded: () => void; onClose: () => void }) {
  const { space } = sweep.spec;
  const [fields, setFields] = useState(() => firstFields(space, sweep.best?.parameters));
  const [tried, setTried] = useState<Record<string, true>>({});
  const problems = handProblems(space, fields);
  const add = async () => {
    const trial = await addTrial(sweep.id, handParameters(space, fields));
    notify(`Trial #${trial.number} was added.`);
    onAdded();
  };
  return (
    <FormDialog title="Add a trial" action="Add" ready={Object.keys(problems).length === 0} act={add} onClose={onClose}>
      <p className="note">{sweep.best ? "These are the parameters of the best trial; change what you like." : "Every parameter needs a value."} The sampler learns from it as from its own.</p>
      <div className="form-pair">
        {shownOf(space, fields).map((dimension) => (
          <Input
            key={dimension.name}
            dimension={dimension}
            text={fields[dimension.name] ?? ""}
            wrong={tried[dimension.name] ? problems[dimension.name] : undefined}
            onText={(text) => {
              setFields({ ...fields, [dimension.name]: text });
              setTried({ ...tried, [dimension.name]: true });
            }}
          />
        ))}
      </div>
    </FormDialog>
  );
}
