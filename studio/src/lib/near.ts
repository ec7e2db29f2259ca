// Whether an element is on the screen or will soon be: what is further down is made once one comes near.
import { useLayoutEffect, useRef, useState, type RefObject } from "react";

/** Pixels above and below the screen. */
const AROUND = 400;

/** Calls `enter` while the element is on the screen or will soon be, and says whether it ever was. */
export function useNear(enter?: () => () => void): [RefObject<HTMLDivElement | null>, boolean] {
  const box = useRef<HTMLDivElement>(null);
  const [was, setWas] = useState(false);
  useLayoutEffect(() => {
    let leave: (() => void) | undefined;
    const look = (near: boolean) => {
      if (near) setWas(true);
      if (near && !leave) leave = enter?.();
      else if (!near) {
        leave?.();
        leave = undefined;
      }
    };
    // The observer tells a frame later; what is near from the start is in the first.
    const { top, bottom } = box.current!.getBoundingClientRect();
    look(bottom > -AROUND && top < innerHeight + AROUND);
    const observer = new IntersectionObserver((entries) => look(entries[entries.length - 1]!.isIntersecting), { rootMargin: `${AROUND}px` });
    observer.observe(box.current!);
    return () => {
      observer.disconnect();
      leave?.();
    };
  }, [enter]);
  return [box, was];
}
