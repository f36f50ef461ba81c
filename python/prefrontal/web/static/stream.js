// The line to the server: one for all pages of this browser, which allows only six to one place.
// Runs as a shared worker; where there is none, the page calls `follow` itself.
"use strict";

const AGAIN_MS = 1500;

function follow(tell) {
  let source = null;
  const listen = () => {
    source = new EventSource("/events");
    source.addEventListener("hello", (event) => tell({ kind: "hello", data: JSON.parse(event.data) }));
    source.addEventListener("change", (event) => tell({ kind: "change", data: JSON.parse(event.data) }));
    source.addEventListener("error", () => {
      tell({ kind: "lost" });
      if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
      setTimeout(listen, AGAIN_MS);
    });
  };
  listen();
}

if (typeof SharedWorkerGlobalScope !== "undefined") {
  const pages = new Set();
  let latest = null;
  self.onconnect = ({ ports: [page] }) => {
    pages.add(page);
    page.onmessage = ({ data }) => data === "bye" && pages.delete(page);
    if (latest) page.postMessage(latest);
  };
  follow((told) => {
    if (told.kind === "hello") latest = told;
    else if (told.kind === "lost") latest = told;
    else if (latest?.kind === "hello") latest.data.number = told.data.to;
    for (const page of pages) page.postMessage(told);
  });
}
