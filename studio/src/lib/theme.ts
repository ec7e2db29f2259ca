// Light, dark, or what the system has.
import { useEffect, useState } from "react";

export type Theme = "system" | "light" | "dark";
const KEY = "roost.theme";

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => (localStorage.getItem(KEY) as Theme | null) ?? "system");
  useEffect(() => {
    if (theme === "system") {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem(KEY);
    } else {
      document.documentElement.dataset.theme = theme;
      localStorage.setItem(KEY, theme);
    }
    window.dispatchEvent(new Event("themechange"));
  }, [theme]);
  return [theme, setTheme];
}

/** A colour of the theme for what CSS does not reach (canvas). */
export const themeColor = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Renders again when the theme changes, for charts. */
export function useThemeVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const next = () => setVersion((v) => v + 1);
    const media = matchMedia("(prefers-color-scheme: dark)");
    window.addEventListener("themechange", next);
    media.addEventListener("change", next);
    return () => {
      window.removeEventListener("themechange", next);
      media.removeEventListener("change", next);
    };
  }, []);
  return version;
}
