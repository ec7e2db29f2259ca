// The text of a file, read piece by piece.
import { useCallback, useEffect, useRef, useState } from "react";
import { request, type ApiError } from "../../../lib/api";
import { isText } from "./kinds";

export interface RangedText {
  text: string;
  /** Bytes read so far. */
  read: number;
  complete: boolean;
  binary: boolean;
  loading: boolean;
  error: ApiError | undefined;
  more: () => void;
}

export function useRangedText(url: string, size: number, piece: number): RangedText {
  const [state, setState] = useState({ text: "", read: 0, binary: false, loading: true, error: undefined as ApiError | undefined });
  // Kept from piece to piece, since a character may lie across their border.
  const decoder = useRef(new TextDecoder());
  const load = useCallback(
    async (from: number, before: string, signal?: AbortSignal) => {
      setState((now) => ({ ...now, loading: true, error: undefined }));
      try {
        let bytes = new Uint8Array();
        if (size > from) {
          const response = await request(url, { headers: { Range: `bytes=${from}-${Math.min(size, from + piece) - 1}` }, ...(signal ? { signal } : {}) });
          bytes = new Uint8Array(await response.arrayBuffer());
        }
        const read = from + bytes.length;
        if (from === 0 && !isText(bytes)) setState({ text: "", read, binary: true, loading: false, error: undefined });
        else setState({ text: before + decoder.current.decode(bytes, { stream: read < size }), read, binary: false, loading: false, error: undefined });
      } catch (error) {
        if (!signal?.aborted) setState((now) => ({ ...now, loading: false, error: error as ApiError }));
      }
    },
    [url, size, piece],
  );
  useEffect(() => {
    const controller = new AbortController();
    decoder.current = new TextDecoder();
    setState({ text: "", read: 0, binary: false, loading: true, error: undefined });
    void load(0, "", controller.signal);
    return () => controller.abort();
  }, [load]);
  const more = useCallback(() => void load(state.read, state.text), [load, state.read, state.text]);
  return { ...state, complete: state.read >= size, more };
}
