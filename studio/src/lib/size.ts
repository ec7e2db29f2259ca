// How large what is drawn may be: the width of an element, kept up to date, and the size of letters.
import { useCallback, useState } from "react";

export function useWidth(): [(element: Element | null) => void, number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: Element | null) => {
    if (!element) return;
    setWidth(element.getBoundingClientRect().width);
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/** Larger where the page's letters are (on very wide screens). */
export const textScale = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize) / 14 || 1;
