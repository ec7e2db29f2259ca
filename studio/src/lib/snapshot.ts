// Files of a snapshot (the code of a run, the content of a model), and what differs between two.
import { api, apiUrl, request, segment, type Schemas } from "./api";

export type Snapshot = Schemas["Snapshot"];
export interface SnapshotFile {
  path: string;
  size: number;
  digest: string;
  executable: boolean;
}
export interface FileChange {
  path: string;
  kind: "added" | "removed" | "changed";
  before?: SnapshotFile;
  after?: SnapshotFile;
}

export const loadSnapshot = (digest: string): Promise<Snapshot> => api.get(`/snapshots/${segment(digest)}`);

/** Its files; folders and links have no bytes of their own. */
export function filesOf(snapshot: Snapshot): SnapshotFile[] {
  return snapshot.entries.flatMap((entry) =>
    "digest" in entry ? [{ path: entry.path, size: entry.size, digest: entry.digest, executable: entry.mode === "100755" }] : [],
  );
}

export function compareFiles(before: readonly SnapshotFile[], after: readonly SnapshotFile[]): FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const changes: FileChange[] = [];
  for (const file of after) {
    const was = old.get(file.path);
    old.delete(file.path);
    if (!was) changes.push({ path: file.path, kind: "added", after: file });
    else if (was.digest !== file.digest || was.executable !== file.executable) changes.push({ path: file.path, kind: "changed", before: was, after: file });
  }
  for (const file of old.values()) changes.push({ path: file.path, kind: "removed", before: file });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const blobUrl = (digest: string): string => apiUrl(`/blobs/${segment(digest)}`);
export const MOST_TEXT = 2_000_000;

/** The text of a file; undefined if it is none, or too long to be shown. */
export async function loadText(file: SnapshotFile, signal?: AbortSignal): Promise<string | undefined> {
  if (file.size > MOST_TEXT) return undefined;
  const bytes = new Uint8Array(await (await request(blobUrl(file.digest), signal ? { signal } : {})).arrayBuffer());
  if (bytes.subarray(0, 8000).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
