// Making an environment of packages, or of a file that a project has anyway, and building it at once.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { Field, FormDialog } from "../../ui/form";
import { definitionOf, kindOf, type Kind } from "./pasted";

const KINDS: Record<Kind, string> = { requirements: "pip requirements", conda: "conda.yml", dockerfile: "Dockerfile" };
const HELP: Record<Kind, string> = {
  requirements: "One package a line, like torch==2.3.",
  conda: "As conda env export writes it.",
  dockerfile: "Needs buildah on the server; it has no files beside it to COPY.",
};
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;

export function CreateEnvironment({ workspace, onClose, onBuild }: { workspace: string; onClose: () => void; onBuild: (digest: string) => void }) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Kind>();
  const [file, setFile] = useState("");
  const kind = chosen ?? kindOf(text, file);
  const { definition, wrong } = definitionOf(text, kind);
  const create = async () => {
    const stored = await api.post<Schemas["EnvironmentVersion"]>(`/workspaces/${segment(workspace)}/environments`, { name, definition });
    const build = await api.post<Schemas["EnvironmentBuild"]>(`/workspaces/${segment(workspace)}/environments/${segment(stored.name)}/build`, {});
    if (build.digest) onBuild(build.digest);
  };
  const take = async (given: File | undefined) => {
    if (!given) return;
    setFile(given.name);
    setText(await given.text());
  };
  return (
    <FormDialog title="New environment" action="Register and build" ready={NAME.test(name) && definition !== undefined} act={create} onClose={onClose}>
      <Field label="Name" help="The same name with other content is its next version." wrong={name && !NAME.test(name) ? "Letters, digits, dots, dashes and underscores, beginning with a letter or digit." : undefined}>
        {(ids) => <input {...ids} type="text" name="name" autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Field label="File" help="Or paste below: requirements.txt, conda.yml, Dockerfile.">
        {(ids) => <input {...ids} type="file" onChange={(event) => void take(event.target.files?.[0])} />}
      </Field>
      <Field label="Packages" help={HELP[kind]} wrong={wrong}>
        {(ids) => <textarea {...ids} name="packages" rows={10} spellCheck={false} value={text} placeholder={"torch\nnumpy<2"} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <fieldset>
        <legend>It is a</legend>
        {(Object.keys(KINDS) as Kind[]).map((one) => (
          <label key={one}>
            <input type="radio" name="kind" checked={kind === one} onChange={() => setChosen(one)} /> {KINDS[one]}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
