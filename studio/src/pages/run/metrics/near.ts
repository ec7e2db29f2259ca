import { useEffect, useRef, useState, type RefObject } from "react";

/** Calls `enter` while the element is on the screen or will soon be, and says whether it ever was. */
export function useNear(enter?: () => () => void): [RefObject<HTMLDivElement | null>, boolean] {
  const box = useRef<HTMLDivElement>(null);
  const [was, setWas] = useState(false);
  useEffect(() => {
    let leave: (() => void) | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const near = entries[entries.length - 1]!.isIntersecting;
        if (near) setWas(true);
        if (near && !leave) leave = enter?.();
        else if (!near) {
          leave?.();
          leave = undefined;
        }
      },
      { rootMargin: "400px" },
    );
    observer.observe(box.current!);
    return () => {
      observer.disconnect();
      leave?.();
    };
  }, [enter]);
  return [box, was];
}
