// Which file of the code a run begins with.
import type { Run } from "../../../lib/api";
import type { SnapshotFile } from "../../../lib/snapshot";

export function entryOf(spec: Pick<Run["spec"], "script" | "command">, files: readonly SnapshotFile[]): string | undefined {
  const paths = new Set(files.map((file) => file.path));
  const clean = (word: string) => word.replace(/^["']|["']$/g, "").replace(/^\.\//, "");
  const words = [spec.script ?? "", ...(spec.command ?? "").split(/[\s;&|()]+/)].map(clean);
  // python -m package.module
  const modules = words.filter((word) => /^[\w.]+$/.test(word)).flatMap((word) => [`${word.replaceAll(".", "/")}.py`, `${word.replaceAll(".", "/")}/__main__.py`]);
  return [...words, ...modules].find((word) => paths.has(word)) ?? files.find((file) => file.path.endsWith(".py"))?.path ?? files[0]?.path;
}
