// How others call the endpoint: its addresses, its keys, and commands to copy.
import { useState } from "react";
import { addressesOf, type Endpoint } from "../../lib/endpoint";
import { Button, Copy } from "../../ui/base";
import { Choice } from "../../ui/choice";
import { Code } from "../../ui/code";
import { notify } from "../../ui/notify";
import { CredentialField } from "./credential_field";
import { KeysCard } from "./keys";
import { KEY_VARIABLE, LANGUAGES, snippet, type Language } from "./snippets";
import { useCredential } from "./use_credential";
import { speaksV2, useSample, usualDeployment } from "./use_sample";

const ENDINGS: Record<Language, string> = { curl: "sh", python: "py", tritonclient: "py", azureml: "py" };

export function CallTab({ endpoint }: { endpoint: Endpoint }) {
  const [language, setLanguage] = useState<Language>("curl");
  const deployment = usualDeployment(endpoint);
  const model = speaksV2(deployment) ? deployment!.models[0] : undefined;
  const access = useCredential(endpoint);
  const sample = useSample(endpoint, deployment, model?.name, access.credential);
  const addresses = addressesOf(endpoint);
  const called = { ...endpoint, base_uri: addresses.base, scoring_uri: addresses.scoring, model: model && { name: model.name, inputs: sample.metadata?.inputs ?? [] }, sample: sample.body ?? (model ? { inputs: [] } : { data: [[1, 2, 3, 4]] }) };
  const languages = LANGUAGES.filter((one) => snippet(one.id, called) !== undefined);
  const shown = languages.some((one) => one.id === language) ? language : "curl";
  const text = snippet(shown, called)!;
  return (
    <div className="endpoint-call">
      <section className="card" aria-labelledby="addresses-title">
        <h2 id="addresses-title">Addresses</h2>
        <dl className="facts">
          <dt>Scoring</dt>
          <dd>
            <Copy text={addresses.scoring} />
          </dd>
          <dt>Open Inference (v2)</dt>
          <dd>
            <Copy text={addresses.base} />
          </dd>
          <dt>Swagger</dt>
          <dd>
            <Copy text={addresses.swagger} />
          </dd>
        </dl>
      </section>
      <section className="card" aria-labelledby="keys-title">
        <h2 id="keys-title">{endpoint.auth === "key" ? "Keys" : "Access"}</h2>
        <KeysCard endpoint={endpoint} />
      </section>
      <section className="card endpoint-snippets" aria-labelledby="code-title">
        <div className="row">
          <h2 id="code-title">Code</h2>
          <Choice label="Language" values={languages} value={shown} onChange={(next) => setLanguage(next as Language)} />
          <Button
            className="spring"
            onClick={() => {
              void navigator.clipboard?.writeText(text);
              notify("Copied");
            }}
          >
            Copy
          </Button>
        </div>
        {endpoint.auth !== "none" && (
          <p className="note">
            The {endpoint.auth} is read from the variable <code>{KEY_VARIABLE}</code>.
          </p>
        )}
        <CredentialField state={access} />
        {(sample.asleep || sample.error) && <p className="note">The body is only a form: what the model takes could not be asked.</p>}
        <Code name={`call.${ENDINGS[shown]}`} text={text} />
      </section>
    </div>
  );
}
