// Parts of a file as bytes.
import { useEffect, useState } from "react";
import { request } from "../../../lib/api";

export async function readBytes(url: string, from: number, to: number, signal?: AbortSignal): Promise<Uint8Array> {
  if (to <= from) return new Uint8Array();
  const response = await request(url, { headers: { Range: `bytes=${from}-${to - 1}` }, ...(signal ? { signal } : {}) });
  return new Uint8Array(await response.arrayBuffer());
}

export interface Made<T> {
  value?: T;
  error?: Error;
}

/** What `make` makes of a file; asked for anew when `key` changes. */
export function useMade<T>(key: string, make: (signal: AbortSignal) => Promise<T>): Made<T> {
  const [made, setMade] = useState<Made<T> & { key?: string }>({});
  useEffect(() => {
    const stop = new AbortController();
    make(stop.signal).then(
      (value) => !stop.signal.aborted && setMade({ value, key }),
      (error: Error) => !stop.signal.aborted && setMade({ error, key }),
    );
    return () => stop.abort();
  }, [key]);
  return made.key === key ? made : {};
}
