import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, opened } from "./app";
import "./style.css";

/** Milliseconds until the page says that it is being loaded. */
const PATIENCE = 100;

function draw(): void {
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
void Promise.race([opened, late]).then(draw);
