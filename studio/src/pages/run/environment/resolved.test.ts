import { expect, it } from "vitest";
import { askedOf } from "./resolved";

it("takes packages from a definition of Azure ML", () => {
  const definition = {
    docker: { baseImage: "ubuntu:24.04", baseDockerfile: null },
    python: { condaDependencies: { channels: ["conda-forge"], dependencies: ["python=3.11", "numpy=2", { pip: ["torch", "tqdm"] }] } },
  };
  expect(askedOf(definition)).toEqual({ python: "python=3.11", conda: ["numpy=2"], pip: ["torch", "tqdm"], channels: ["conda-forge"], image: "ubuntu:24.04" });
});
it("stands whatever a definition is", () => {
  for (const odd of [null, undefined, 3, [], "x", { python: [] }, { python: { condaDependencies: { dependencies: [null, 1, { pip: 3 }] } } }]) {
    expect(askedOf(odd)).toEqual({ conda: [], pip: [], channels: [] });
  }
});
