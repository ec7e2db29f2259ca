// Parts of the page that are fetched when they are first asked for. Unlike React's lazy and Suspense it shows what
// has come at once (React holds it back for 0.3 s once it has shown a fallback), and it can try again.
import { useEffect, useState, type ComponentType } from "react";
import { onReturn } from "../lib/live";
import { Loading, Problem } from "./base";

/** `opening` is what a part has asked for as it was loaded: it is waited for a little, so that the part is drawn once and
 *  not step by step. */
interface Module<P> {
  default: ComponentType<P>;
  opening?: Promise<unknown> | undefined;
}
const PATIENCE = 300;
const little = (opening: Promise<unknown> | undefined): Promise<unknown> | undefined =>
  opening && Promise.race([opening, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);

export interface Lazily<P> {
  Part: ComponentType<P>;
  /** Fetches it ahead; whether that goes well is told where it is shown. */
  preload: () => Promise<void>;
}

export function lazily<P extends object>(what: string, load: () => Promise<Module<P>>): Lazily<P> {
  let Loaded: ComponentType<P> | undefined;
  let under: Promise<void> | undefined;
  const fetch = (): Promise<void> => {
    under ??= load().then(
      async (module) => {
        await little(module.opening);
        Loaded = module.default;
      },
      (error: Error) => {
        under = undefined;
        throw error;
      },
    );
    return under;
  };
  function Part(props: P) {
    const [, render] = useState(0);
    const [problem, setProblem] = useState<Error>();
    const [again, setAgain] = useState(0);
    const shown = Loaded;
    useEffect(() => {
      // Not `Loaded`: it may have come since this was rendered, and then nothing would show it.
      if (shown) return;
      let here = true;
      fetch().then(
        () => here && render((n) => n + 1),
        () => here && setProblem(new Error("this part of the page could not be fetched; Roost may have been updated or be away")),
      );
      return () => {
        here = false;
      };
    }, [again]);
    useEffect(() => {
      // A browser remembers that a module could not be fetched until the page is loaded anew; there is nothing on it to lose.
      return problem && onReturn(() => location.reload());
    }, [problem]);
    if (Loaded) return <Loaded {...props} />;
    if (!problem) return <Loading what={what} />;
    return (
      <Problem
        error={problem}
        retry={() => {
          setProblem(undefined);
          setAgain(again + 1);
        }}
      />
    );
  }
  return { Part, preload: () => fetch().catch(() => {}) };
}
