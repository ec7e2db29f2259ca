import { expect, it } from "vitest";
import { entryOf } from "./entry";

const files = ["README.md", "a.py", "pkg/train.py", "train.py"].map((path) => ({ path, size: 1, digest: path, executable: false }));
const spec = (command: string) => ({ command });

it("is the script, or the file that the command names", () => {
  expect(entryOf({ script: "train.py" }, files)).toBe("train.py");
  expect(entryOf(spec("python ./pkg/train.py --lr 0.1"), files)).toBe("pkg/train.py");
  expect(entryOf(spec("cd . && python 'train.py'"), files)).toBe("train.py");
  expect(entryOf(spec("python -m pkg.train"), files)).toBe("pkg/train.py");
  expect(entryOf(spec("make"), files)).toBe("a.py");
});
