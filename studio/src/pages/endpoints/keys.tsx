// The keys of an endpoint: hidden until asked for, and made anew one at a time, so that callers can change over.
import { useState } from "react";
import { getKeys, renewKey, type Endpoint, type Keys, type WhichKey } from "../../lib/endpoint";
import { useMay } from "../../lib/session";
import { Button, Copy } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { attempt, notify } from "../../ui/notify";

export function KeysCard({ endpoint }: { endpoint: Endpoint }) {
  const may = useMay("contributor");
  const [keys, setKeys] = useState<Keys>();
  const [renewing, setRenewing] = useState<WhichKey>();
  const { workspace, name, auth } = endpoint;
  if (auth === "none") return <p>Whoever reaches the address may call it: no key is asked for.</p>;
  if (auth === "token") {
    return (
      <p>
        Callers send a token that is good for some hours, and get it by <code>service.get_token()</code> or <code>POST …/endpoints/{name}/token</code>. There are no keys.
      </p>
    );
  }
  if (!may) return <p>Callers send one of two keys. A contributor sees them here, and can hand you one.</p>;
  const renew = async () => {
    setKeys(await renewKey(workspace, name, renewing!));
    notify(`The ${renewing} key of ${name} is a new one`);
  };
  return (
    <>
      <p className="note">Either is good for all that the endpoint answers, and for nothing else. Two, so that callers can go over to one while the other is made anew.</p>
      {keys ? (
        <dl className="facts">
          {(["primary", "secondary"] as const).map((which) => (
            <div key={which} className="endpoint-key">
              <dt>{which}</dt>
              <dd>
                <Copy text={keys[which]} />{" "}
                <Button small onClick={() => setRenewing(which)} aria-label={`Regenerate the ${which} key`}>
                  Regenerate …
                </Button>
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <div>
          <Button onClick={() => void attempt(getKeys(workspace, name).then(setKeys))}>Show the keys</Button>
        </div>
      )}
      {keys && (
        <div>
          <Button onClick={() => setKeys(undefined)}>Hide</Button>
        </div>
      )}
      {renewing && (
        <FormDialog title={`Regenerate the ${renewing} key of ${name}`} action="Regenerate" kind="danger" act={renew} onClose={() => setRenewing(undefined)}>
          <p>Whoever sends the {renewing} key of now is refused from then on. The other key stays good.</p>
        </FormDialog>
      )}
    </>
  );
}
