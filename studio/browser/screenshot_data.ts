// Runs, models and computes that show what the studio is for. The birds are really trained; the sweep only pretends to be large.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Roost } from "./roost";

const BIRDS = join(dirname(fileURLToPath(import.meta.url)), "../../examples/pytorch-birds");

const SWEEP = `
import argparse, math, os, random, sys, time
from azureml.core import Run
from draw_birds import KINDS, draw_bird
from PIL import Image, ImageFilter

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--batch", type=int)
parser.add_argument("--dropout", type=float)
parser.add_argument("--steps", type=int, default=1200)
args = parser.parse_args()
run = Run.get_context()
rng = random.Random(f"{args.lr} {args.batch}")
pace = 3 + 40 * args.lr
print(f"\\x1b[1mtraining\\x1b[0m lr={args.lr} batch={args.batch} dropout={args.dropout}")
for step in range(args.steps):
    done = step / args.steps
    noise = rng.gauss(0, 1)
    loss = 0.05 + 0.05 * args.dropout + 1.4 * math.exp(-pace * done) * (1 + 0.18 * noise) + 0.012 * abs(noise)
    run.log("train/loss", loss, step=step)
    run.log("train/accuracy", min(1, 1 - 0.55 * math.exp(-pace * done) + 0.012 * noise), step=step)
    run.log("learning_rate", args.lr * 0.5 * (1 + math.cos(math.pi * done)), step=step)
    run.log("gradient_norm", abs(2.5 * math.exp(-2 * done) + 0.4 * noise), step=step)
    if step % 50 == 49:
        value = loss + 0.03 + 0.04 * rng.random()
        run.log("validation/loss", value, step=step)
        run.log("validation/accuracy", min(0.995, 0.985 - 0.5 * math.exp(-pace * done) - 0.01 * rng.random()), step=step)
        run.log("epoch", step // 50, step=step)
        print(f"\\x1b[32mepoch {step // 50:3d}\\x1b[0m  train loss {loss:.4f}  validation loss {value:.4f}")
run.log_confusion_matrix("confusion", {"schema_type": "confusion_matrix", "schema_version": "v1", "data": {"class_labels": ["chicken", "turkey", "goose", "duck"],
    "matrix": [[212, 4, 1, 3], [6, 198, 9, 2], [0, 7, 221, 5], [2, 1, 8, 209]]}})
os.makedirs("outputs/samples", exist_ok=True)
sheet = Image.new("RGB", (5 * 128, 2 * 128))
for i in range(10):
    # Without its noise, so that the picture of the page stays small.
    bird = draw_bird(KINDS[i % 2], random.Random(i)).filter(ImageFilter.ModeFilter(5)).resize((128, 128), Image.Resampling.NEAREST)
    sheet.paste(bird, (i % 5 * 128, i // 5 * 128))
    if i < 6:
        bird.save(f"outputs/samples/bird_{i}.png")
sheet.save("outputs/predictions.png")
with open("outputs/predictions.csv", "w") as table:
    table.write("picture,truth,said,probability\\n")
    for i in range(400):
        table.write(f"val/{i:04d}.png,{KINDS[i % 2]},{KINDS[(i + (i % 37 == 0)) % 2]},{rng.uniform(0.8, 1):.4f}\\n")
with open("outputs/summary.json", "w") as file:
    file.write('{"best": {"epoch": 21, "validation_accuracy": 0.981}, "classes": ["chicken", "turkey"], "seed": 7}')
os.makedirs("outputs/model", exist_ok=True)
with open("outputs/model/weights.pt", "wb") as file:
    file.write(rng.randbytes(1_800_000))
`;

const RANKS = `
import os, sys, time
rank = int(os.environ["RANK"])
def reduce_gradients(step, norms):
    if not all(norm == norm for norm in norms):
        raise FloatingPointError(f"step {step}: gradient norm of layer 'head' is nan on rank {rank}")
def train():
    for step in range(900):
        print(f"[rank {rank}] step {step:4d}  loss {2.3 / (1 + step / 80):.4f}  {118 + rank} samples/s")
        reduce_gradients(step, [float("nan") if rank == 2 and step == 870 else 1.0])
    sys.stdout.flush()
    time.sleep(600)
train()
`;

const HOLDS = `
import math, time
from azureml.core import Run
run = Run.get_context()
for step in range(100000):
    run.log("train/loss", 0.2 + 2 * math.exp(-step / 300), step=step)
    if step > 400:
        time.sleep(0.05)
`;

export interface Shown {
  best: string;
  sweep: string[];
  failed: string;
  running: string;
  birds: string;
}

/** The example's own sweep, as its README has it; returns its id. */
export async function birdsSweep(roost: Roost): Promise<string> {
  const { id } = JSON.parse(await roost.cli("sweep", "start", join(BIRDS, "sweep.yaml"), "--detach", "--json"));
  await roost.wait(id, "Completed", 600);
  return id;
}

export async function fill(roost: Roost): Promise<Shown> {
  const draw = readFileSync(join(BIRDS, "draw_birds.py"));
  const files = { "train.py": SWEEP, "draw_birds.py": draw, "README.md": "# Birds\n\nTells chickens from turkeys.\n", "conf/sweep.yaml": "lr: [0.01, 0.03, 0.1]\nbatch: [16, 32]\n" };
  await roost.cli("compute", "create", "gpu-cluster", "--vm-size", "STANDARD_NC6", "--max-nodes", "4");
  await roost.cli("compute", "create", "small", "--vm-size", "STANDARD_D2_V2", "--max-nodes", "1", "--idle-seconds", "300");
  const sweep: string[] = [];
  for (const [lr, batch] of [[0.01, 16], [0.03, 16], [0.1, 16], [0.01, 32], [0.03, 32], [0.1, 32]] as const) {
    const id = await roost.submit(files, ["python", "train.py", "--lr", String(lr), "--batch", String(batch), "--dropout", batch === 16 ? "0.1" : "0.3"], {
      experiment: "birds-sweep", name: `lr ${lr}, batch ${batch}`, tags: { owner: batch === 16 ? "anna" : "ben", data: "v3" }, compute: "gpu-cluster",
    });
    sweep.push(id);
  }
  const real = Object.fromEntries(["pytorch_train.py", "draw_birds.py"].map((name) => [name, readFileSync(join(BIRDS, name))]));
  const birds = await roost.submit(real, ["python", "pytorch_train.py", "--num_epochs", "6", "--output_dir", "./outputs"], { experiment: "Tutorial-pytorch-birds", name: "birds, 6 epochs", tags: { owner: "anna" } });
  await Promise.all(sweep.map((id) => roost.wait(id, "Completed", 240)));
  const failed = await roost.python(RANKS, ["--layers", "50"], { experiment: "birds-ddp", name: "resnet50, 4 ranks", nodes: 2, processes: 4, tags: { owner: "ben" } });
  await roost.wait(failed, "Failed", 120);
  await roost.wait(birds, "Completed", 400);
  const best = sweep[2]!;
  for (const id of [sweep[1]!, best, sweep[5]!]) {
    await roost.cli("model", "register", "bird-net", "--run", id, "--path", "outputs/model", "--framework", "PyTorch", "--framework-version", "2.6", "--description", "Tells chickens from turkeys, 128 x 128 pixels.", "--tag", "data=v3");
  }
  await roost.cli("model", "register", "bird-classes", "--run", birds, "--path", "outputs/model.pt", "--framework", "PyTorch");
  await roost.call("PATCH", "/workspaces/default/models/bird-net/versions/2", { tags: { stage: "Production" } });
  await roost.call("PATCH", "/workspaces/default/models/bird-net/versions/3", { tags: { stage: "Staging" } });
  for (const pillow of ["9.4", "10.2"]) {
    await roost.call("POST", "/workspaces/default/environments", {
      name: "birds-env",
      definition: { name: "birds-env", python: { condaDependencies: { channels: ["conda-forge"], dependencies: ["python=3.11", { pip: ["torch==2.6.0", `pillow==${pillow}`, "numpy"] }] } }, environmentVariables: { OMP_NUM_THREADS: "2" } },
    });
  }
  for (const [name, role] of [["anna", "contributor"], ["ben", "contributor"], ["dashboard", "reader"]]) await roost.call("POST", "/tokens", { name, role });
  await roost.call("PUT", "/workspaces/default/views/Failures of this week", { state: "q=status%3Afailed+age%3C1w" });
  const running = await roost.python(HOLDS, ["--lr", "0.05"], { experiment: "birds-long", name: "long training", compute: "small", tags: { owner: "anna" } });
  await roost.wait(running, "Running");
  for (const name of ["waits: evaluate", "waits: export"]) await roost.python("pass", [], { experiment: "birds-long", name, compute: "small" });
  return { best, sweep, failed, running, birds };
}
