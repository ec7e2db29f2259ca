// Pieces of a line of code, each of one colour.
export type Language = "bash" | "dockerfile" | "ini" | "json" | "markdown" | "python" | "yaml";
export interface Token {
  text: string;
  scope?: string;
}

const ENDINGS: Record<string, Language> = {
  py: "python", pyi: "python", ipynb: "json", json: "json", jsonl: "json", yaml: "yaml", yml: "yaml", sh: "bash", bash: "bash",
  toml: "ini", ini: "ini", cfg: "ini", conf: "ini", md: "markdown", dockerfile: "dockerfile",
};

export function languageOf(name: string): Language | undefined {
  const file = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  if (file === "dockerfile" || file === "containerfile" || file.startsWith("dockerfile.")) return "dockerfile";
  return ENDINGS[file.slice(file.lastIndexOf(".") + 1)];
}

/** Colours take too long for more than this; the text is shown all the same. */
export const MOST_COLOURED = 400_000;

export async function tokensOf(text: string, language: Language): Promise<Token[][]> {
  const { highlight } = await import("./languages");
  return highlight(text, language);
}
