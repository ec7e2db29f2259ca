// A form that sends one request, as any client would, and shows what comes back.
import { useMemo, useState, type FormEvent } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { bytes } from "../../lib/format";
import type { Endpoint } from "../../lib/endpoint";
import { useResource } from "../../lib/resource";
import { Button, Empty, Loading, Problem } from "../../ui/base";
import { Choice } from "../../ui/choice";
import { AnswerView } from "./answer_view";
import { labelsOf } from "./answer";
import { callEndpoint, type Answered } from "./call_endpoint";
import { CredentialField } from "./credential_field";
import { PictureDrop, PictureForm, sizeOf, valuesOf, type PictureChoices } from "./picture";
import { expandedRequest, readableJson } from "./sample";
import { binaryBody, jsonBody, pictureInput, usualScaling, type Encoded, type PictureInput } from "./tensor";
import { useCredential } from "./use_credential";
import { speaksV2, useSample, usualDeployment } from "./use_sample";

const choicesFor = (input: PictureInput): PictureChoices => ({ scaling: usualScaling(input), fit: "crop", as: "binary", ...sizeOf(input) });

/** What is wrong with the text, before it is sent. */
function problemIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export function TryTab({ endpoint }: { endpoint: Endpoint }) {
  const [chosen, setChosen] = useState("");
  const [modelName, setModelName] = useState("");
  const [mode, setMode] = useState<"json" | "picture">("json");
  const [draft, setDraft] = useState<string>();
  const [file, setFile] = useState<File>();
  const [canvas, setCanvas] = useState<HTMLCanvasElement>();
  const [picked, setPicked] = useState<PictureChoices>();
  const [sending, setSending] = useState(false);
  const [answer, setAnswer] = useState<Answered>();
  const [sentSize, setSentSize] = useState(0);
  const [problem, setProblem] = useState<Error>();

  const deployment = endpoint.deployments.find((one) => one.name === chosen) ?? usualDeployment(endpoint);
  const v2 = speaksV2(deployment);
  const model = v2 ? (deployment!.models.find((one) => one.name === modelName) ?? deployment!.models[0]) : undefined;
  const access = useCredential(endpoint);
  const sample = useSample(endpoint, deployment, model?.name, access.credential);
  const known = model ?? deployment?.models[0];
  const registered = useResource<Schemas["Model"]>(known ? `model-version/${endpoint.workspace}/${known.id}` : null, () =>
    api.get(`/workspaces/${segment(endpoint.workspace)}/models/${segment(known!.name)}`, { version: known!.version }),
  );
  const labels = useMemo(() => labelsOf(registered.data), [registered.data]);
  const sampleText = useMemo(() => (sample.body === undefined ? "" : readableJson(sample.body)), [sample.body]);
  const text = draft ?? sampleText;
  const inputs = sample.metadata?.inputs ?? [];
  const input = useMemo(() => (inputs.length === 1 ? pictureInput(inputs[0]!) : undefined), [sample.metadata]);
  const choices = picked ?? (input ? choicesFor(input) : undefined);

  if (!deployment) {
    return (
      <Empty title="Nothing answers yet">
        <p>This endpoint has no deployment.</p>
      </Empty>
    );
  }
  const path = model ? `/v2/models/${encodeURIComponent(model.name)}/infer` : "/score";
  const wrong = mode === "json" && text ? problemIn(text) : undefined;
  // A picture goes to a score.py as the file it is.
  const takesPicture = input !== undefined || !v2;
  const picture = mode === "picture" && takesPicture;
  const ready = !sending && access.credential !== undefined && (picture ? file !== undefined && (!input || canvas !== undefined) : text !== "" && !wrong);

  const encode = (): Encoded => {
    if (!picture) return jsonBody(expandedRequest(text));
    if (!input || !choices) return { body: file!, size: file!.size, headers: { "Content-Type": file!.type || "application/octet-stream" } };
    const { values, shape } = valuesOf(canvas!, input, choices.scaling);
    const { name, datatype } = inputs[0]!;
    return choices.as === "binary" ? binaryBody(name, shape, datatype, values) : jsonBody({ inputs: [{ name, shape, datatype, data: values }] });
  };
  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    setSending(true);
    setProblem(undefined);
    try {
      const sent = encode();
      setSentSize(sent.size);
      setAnswer(await callEndpoint(endpoint, path, access.credential!, chosen, sent));
    } catch (error) {
      setAnswer(undefined);
      setProblem(error as Error);
    } finally {
      setSending(false);
    }
  };
  const other = (change: () => void) => {
    change();
    setDraft(undefined);
    setPicked(undefined);
    setCanvas(undefined);
  };
  const takeFile = (next: File) => {
    setCanvas(undefined);
    setFile(next);
    if (takesPicture) setMode("picture");
  };
  return (
    <div className="endpoint-try">
      <form
        className="card"
        aria-label="Request"
        onSubmit={(event) => void send(event)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const dropped = event.dataTransfer.files[0];
          if (dropped) takeFile(dropped);
        }}
      >
        <div className="row">
          <h2>Request</h2>
          {takesPicture && (
            <Choice
              label="What is sent"
              values={[
                { id: "json", title: "JSON" },
                { id: "picture", title: "Picture" },
              ]}
              value={mode}
              onChange={(next) => setMode(next as typeof mode)}
            />
          )}
        </div>
        <div className="row endpoint-to">
          <label>
            To{" "}
            <select aria-label="Deployment" value={chosen} onChange={(event) => other(() => setChosen(event.target.value))}>
              <option value="">whom the traffic goes to</option>
              {endpoint.deployments.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
          {v2 && deployment.models.length > 1 && (
            <label>
              Model{" "}
              <select value={model!.name} onChange={(event) => other(() => setModelName(event.target.value))}>
                {deployment.models.map((one) => (
                  <option key={one.id} value={one.name}>
                    {one.id}
                  </option>
                ))}
              </select>
            </label>
          )}
          <code>POST {path}</code>
        </div>
        <CredentialField state={access} />
        {sample.asleep && (
          <p className="note">
            No replica is up, so what it takes is not known.{" "}
            <Button small onClick={sample.ask}>
              Ask it all the same
            </Button>
          </p>
        )}
        {sample.error && <Problem error={sample.error} retry={sample.ask} />}
        {sample.loading && <Loading what="what it takes" />}
        {!picture && (
          <>
            <textarea
              className="endpoint-body mono"
              aria-label="Body"
              aria-invalid={wrong !== undefined}
              aria-describedby="body-help"
              rows={16}
              spellCheck={false}
              value={text}
              placeholder={'{"data": [[1, 2, 3, 4]]}'}
              onChange={(event) => setDraft(event.target.value)}
            />
            <p id="body-help" className={wrong ? "form-wrong" : "note"}>
              {wrong ?? (v2 ? 'Where data is "zeros", "ones" or "random", this page fills in so many values.' : "What a score.py gets as the argument of run().")}
            </p>
          </>
        )}
        {picture && input && choices && (
          <PictureForm input={input} file={file} choices={choices} onChoices={setPicked} onFile={takeFile} onDrawn={setCanvas} />
        )}
        {picture && !input && (
          <PictureDrop file={file} onFile={takeFile}>
            <p className="note">The file is sent as it is: for a score.py that takes raw requests (AMLRequest).</p>
          </PictureDrop>
        )}
        <div className="row">
          <Button kind="main" type="submit" disabled={!ready}>
            {sending ? "Sending …" : "Send"}
          </Button>
          {!picture && draft !== undefined && draft !== sampleText && sampleText !== "" && <Button onClick={() => setDraft(undefined)}>Back to the sample</Button>}
          <span className="note">Ctrl + Enter sends, too.</span>
        </div>
      </form>
      <section className="card" aria-labelledby="answer-title">
        <div className="row">
          <h2 id="answer-title">Answer</h2>
          {answer && <span className="note">to {bytes(sentSize)}</span>}
        </div>
        {problem && <Problem error={problem} />}
        {!answer && !problem && <p className="note">{sending ? "On its way …" : "Nothing sent yet."}</p>}
        {answer && <AnswerView answer={answer} labels={labels} />}
      </section>
    </div>
  );
}
