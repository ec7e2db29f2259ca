// Endpoints that serve the birds of the example, and callers that keep them busy.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { colourModel } from "./onnx_model";
import type { Roost } from "./roost";
import { until } from "./until";

const BIRDS = join(dirname(fileURLToPath(import.meta.url)), "../../examples/pytorch-birds");
const TRAIN = `
import random
import torch
import pytorch_train
from draw_birds import KINDS, SIZE, draw_bird
pytorch_train.main()
model = pytorch_train.BirdNet(len(KINDS))
model.load_state_dict(torch.load("outputs/model.pt")["weights"])
torch.onnx.export(model.eval(), torch.zeros(2, 3, SIZE, SIZE), "outputs/model.onnx", input_names=["picture"], output_names=["scores"],
                  dynamic_axes={"picture": {0: "batch"}, "scores": {0: "batch"}})
draw_bird("turkeys", random.Random(3)).save("outputs/turkey.png")
`;
const SIZE = 64;

export interface ShownEndpoints {
  /** A picture to send. */
  picture: Buffer;
  /** Ends the callers. */
  stop: () => Promise<void>;
}

async function trained(roost: Roost, epochs: number): Promise<string> {
  const files = { ...Object.fromEntries(["pytorch_train.py", "draw_birds.py"].map((name) => [name, readFileSync(join(BIRDS, name))])), "train.py": TRAIN };
  const run = await roost.submit(files, ["python", "train.py", "--num_epochs", String(epochs)], { experiment: "birds", name: `birds, ${epochs} epochs` });
  await roost.wait(run, "Completed", 600);
  await roost.cli("model", "register", "birds", "--run", run, "--path", "outputs/model.onnx", "--tag", "labels=chicken,turkey", "--description", "Tells chickens from turkeys, 64 x 64 pixels.");
  return run;
}

/** One request after another. */
async function callAll(roost: Roost, name: string, over: () => boolean): Promise<void> {
  const { base_uri } = await roost.call("GET", `/workspaces/default/endpoints/${name}`);
  const { primary } = await roost.call("GET", `/workspaces/default/endpoints/${name}/keys`);
  for (let i = 1; !over(); i += 1) {
    const data = Array.from({ length: 3 * SIZE * SIZE }, (_, at) => Math.sin(at * i));
    await fetch(`${base_uri}/v2/models/birds/infer`, { method: "POST", headers: { Authorization: `Bearer ${primary}` }, body: JSON.stringify({ inputs: [{ name: "picture", shape: [1, 3, SIZE, SIZE], datatype: "FP32", data }] }) }).catch(() => undefined);
    await new Promise((done) => setTimeout(done, 60 + 50 * Math.sin(i / 90)));
  }
}

export async function fillEndpoints(roost: Roost): Promise<ShownEndpoints> {
  await trained(roost, 3);
  const run = await trained(roost, 8);
  const colours = join(roost.folder, "model.onnx");
  writeFileSync(colours, colourModel());
  await roost.cli("model", "register", "colours", colours, "--tag", "labels=red,green,blue");
  const all = "/workspaces/default/endpoints";
  await roost.call("POST", all, {
    name: "birds", description: "Tells chickens from turkeys.", auth: "key", traffic: { blue: 90, green: 10 },
    deployments: [{ name: "blue", models: ["birds:1"], replicas: { min: 2, max: 4 } }, { name: "green", models: ["birds:2"] }],
  });
  await roost.call("POST", all, { name: "colours", description: "How red, green and blue a picture is.", auth: "none", deployments: [{ name: "default", models: ["colours:1"] }] });
  for (const name of ["birds", "colours"]) await until(`${name} is healthy`, 120, async () => (await roost.call("GET", `${all}/${name}`)).state === "Healthy");
  let over = false;
  const callers = callAll(roost, "birds", () => over);
  await until("there are curves", 240, async () => (await roost.call("GET", `${all}/birds/statistics`)).deployments[0].points.length >= 24);
  const picture = Buffer.from(await (await fetch(`${roost.url}/api/v1/runs/${run}/artifacts/outputs/turkey.png`, { headers: { Authorization: `Bearer ${roost.token}` } })).arrayBuffer());
  return {
    picture,
    stop: async () => {
      over = true;
      await callers;
    },
  };
}
