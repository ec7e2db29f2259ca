import { expect, test } from "vitest";
import { definitionOf, kindOf } from "./pasted";

test("what a text is", () => {
  expect(kindOf("torch==2.3\n")).toBe("requirements");
  expect(kindOf("# comment\nFROM debian:12\n")).toBe("dockerfile");
  expect(kindOf("name: x\ndependencies:\n  - numpy\n")).toBe("conda");
  expect(kindOf("", "environment.yaml")).toBe("conda");
  expect(kindOf("", "train.Dockerfile")).toBe("dockerfile");
});
test("requirements", () => {
  expect(definitionOf("torch==2.3  # gpu\n\nnumpy \\\n  --hash=sha256:ab\n", "requirements").definition?.python?.condaDependencies?.dependencies).toEqual([{ pip: ["torch==2.3", "numpy"] }]);
  expect(definitionOf("-r base.txt", "requirements").wrong).toContain("-r base.txt");
  expect(definitionOf("# nothing", "requirements").wrong).toContain("one package a line");
  expect(definitionOf("  \n", "requirements")).toEqual({});
});
test("a conda file", () => {
  const text = "name: birds\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.11\n  - pip:\n    - torch==2.3\n    - 'numpy<2'\n  - git # last\nprefix: /x\n";
  expect(definitionOf(text, "conda").definition?.python?.condaDependencies).toEqual({ channels: ["conda-forge"], dependencies: ["python=3.11", "git", { pip: ["torch==2.3", "numpy<2"] }] });
  expect(definitionOf("dependencies:\n  numpy: 1\n", "conda").wrong).toContain("line 2");
  expect(definitionOf("name: x\n", "conda").wrong).toContain("dependencies");
});
test("a Dockerfile", () => {
  expect(definitionOf("FROM debian:12\nRUN true\n", "dockerfile").definition?.docker?.baseDockerfile).toBe("FROM debian:12\nRUN true\n");
  expect(definitionOf("RUN true\n", "dockerfile").wrong).toContain("FROM");
});
