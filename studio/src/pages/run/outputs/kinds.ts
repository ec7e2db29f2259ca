// How a file is shown, by the end of its name.
export type Kind = "image" | "page" | "json" | "table" | "text" | "bytes" | "markdown" | "pdf" | "audio" | "video" | "array" | "parquet";

const KINDS: Record<string, Kind> = {
  png: "image", jpg: "image", jpeg: "image", gif: "image", webp: "image", avif: "image", bmp: "image", svg: "image", ico: "image",
  html: "page", htm: "page", json: "json", ipynb: "json", csv: "table", tsv: "table",
  md: "markdown", markdown: "markdown", pdf: "pdf", npy: "array", parquet: "parquet", mp4: "video", webm: "video",
  wav: "audio", mp3: "audio", ogg: "audio", oga: "audio", opus: "audio", flac: "audio", m4a: "audio",
  npz: "bytes", pt: "bytes", pth: "bytes", ckpt: "bytes", onnx: "bytes", bin: "bytes", safetensors: "bytes", zip: "bytes",
  gz: "bytes", tar: "bytes", tgz: "bytes", bz2: "bytes", xz: "bytes", zst: "bytes", pkl: "bytes", pickle: "bytes", h5: "bytes",
  joblib: "bytes", pb: "bytes", so: "bytes", pyc: "bytes",
};

export const endingOf = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(".")) + 1).toLowerCase();
/** Of an unknown one the first bytes tell whether it is text. */
export const kindOf = (path: string): Kind => KINDS[endingOf(path)] ?? "text";

/** Bytes that no text has, or that are no UTF-8. */
export function isText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 8192);
  if (head.includes(0)) return false;
  const text = new TextDecoder().decode(head, { stream: true });
  const bad = text.split("\ufffd").length - 1;
  return bad * 20 <= text.length;
}
