// A row of links that is wider than the screen is scrolled so that the one of the current page is seen.
import { useLayoutEffect, useRef, type RefObject } from "react";

export function useCurrentInView(current: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const box = row.current;
    const link = box?.querySelector<HTMLElement>("[aria-current]");
    if (!box || !link || box.scrollWidth <= box.clientWidth) return;
    // Not scrollIntoView, which would move the page as well.
    const [here, whole] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollLeft += here.left - whole.left - (whole.width - here.width) / 2;
  }, [current]);
  return row;
}
