// Brings the page to life: the line to the server, the strip, the questions, what is said aloud.
"use strict";

const PATIENCE_MS = 400;
const said = document.getElementById("said");
const trouble = document.getElementById("trouble");
const live = document.getElementById("live");

function say(words) {
  said.textContent = "";
  said.textContent = words;
}

function complain(words) {
  trouble.textContent = words;
  trouble.hidden = !words;
}

// --- the line ----------------------------------------------------------------------------------

let asking = null;
let isLost = false;

function showLine(state, words) {
  live.dataset.state = state;
  document.getElementById("live-words").textContent = words;
}

async function askForAll() {
  asking ??= fetch("/state", { cache: "no-store" })
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.statusText))))
    .then(applyState)
    .catch(() => {}) // the next word from the server asks again
    .finally(() => { asking = null; });
  return asking;
}

function greet(hello) {
  if (hello.version !== document.body.dataset.version) return window.location.reload();
  shown.key = hello.key;
  showLine("live", "live");
  if (isLost) {
    isLost = false;
    say("The server is back; the page is up to date again.");
  }
  if (hello.instance !== shown.instance) return askForAll();
  // what is missing may be on its way already
  return setTimeout(() => hello.number > shown.number && askForAll(), PATIENCE_MS);
}

function lose() {
  showLine("lost", "no connection, trying again");
  if (isLost) return;
  isLost = true;
  say("The server does not answer. The page keeps trying and shows what it knew last.");
}

function hear({ kind, data }) {
  if (kind === "lost") lose();
  else if (kind === "hello") greet(data);
  else if (!asking && !applyChange(data)) askForAll();
}

function connect() {
  if (!window.SharedWorker) return follow(hear);
  const worker = new SharedWorker(document.body.dataset.stream);
  worker.port.onmessage = ({ data }) => hear(data);
  return window.addEventListener("pagehide", () => worker.port.postMessage("bye"));
}

window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());

// --- moments -----------------------------------------------------------------------------------

const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const STEPS = [[60, "second"], [3600, "minute"], [86400, "hour"], [Infinity, "day"]];

function relative(seconds) {
  const [limit, unit] = STEPS.find(([most]) => Math.abs(seconds) < most);
  const size = { 60: 1, 3600: 60, 86400: 3600 }[limit] || 86400;
  return AGO.format(Math.round(seconds / size), unit);
}

function tellTime(node) {
  const then = new Date(node.dateTime);
  node.title = then.toLocaleString();
  const words = relative((then - Date.now()) / 1000);
  if (node.textContent !== words) node.textContent = words;
}

function tellTimes(within = document) {
  within.querySelectorAll("time[data-ago]").forEach(tellTime);
}

// --- the strip ---------------------------------------------------------------------------------

const strip = document.getElementById("strip");
const tip = document.getElementById("tip");

function showTip(bar) {
  const [, head, scores] = /^(.*), (score .*)$/s.exec(bar.getAttribute("aria-label"));
  const when = new Date(Number(bar.dataset.at) * 1000).toLocaleTimeString();
  tip.replaceChildren();
  for (const [tag, text] of [["b", head], ["span", scores], ["span", when]]) {
    tip.appendChild(document.createElement(tag)).textContent = text;
  }
  tip.hidden = false;
  const box = bar.getBoundingClientRect();
  const wide = document.documentElement.clientWidth;
  const left = box.left + box.width / 2 - tip.offsetWidth / 2;
  tip.style.left = `${Math.max(8, Math.min(left, wide - tip.offsetWidth - 8)) + window.scrollX}px`;
  tip.style.top = `${box.top - tip.offsetHeight - 8 + window.scrollY}px`;
}

const barOf = (event) => event.target.closest?.(".bar");
for (const on of ["pointerover", "focusin"]) {
  strip.addEventListener(on, (event) => barOf(event) && showTip(barOf(event)));
}
for (const off of ["pointerout", "focusout"]) strip.addEventListener(off, () => { tip.hidden = true; });

// A narrow window shows the last ones only, as the style sheet says; asking for what is visible would
// make the browser lay out the page at once.
const narrow = matchMedia("(max-width: 860px)");
const barsInSight = () => [...strip.children].slice(narrow.matches ? -50 : 0);

// One stop for the tab key; the arrow keys walk along the events that are to be seen.
function oneStop() {
  const bars = barsInSight();
  if (!bars.length || bars.some((each) => each.tabIndex === 0 && each === document.activeElement)) return;
  for (const each of bars) each.tabIndex = -1;
  bars.at(-1).tabIndex = 0;
}

strip.addEventListener("keydown", (event) => {
  const bars = barsInSight();
  const at = bars.indexOf(document.activeElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 }[event.key];
  if (at < 0 || to === undefined || !bars[to]) return;
  event.preventDefault();
  bars[at].tabIndex = -1;
  bars[to].tabIndex = 0;
  bars[to].focus();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  tip.hidden = true;
  const editor = document.activeElement?.closest(".editor");
  if (editor) openEditor(editor, false);
});

// --- the questions -----------------------------------------------------------------------------

function openEditor(editor, isOpen) {
  const button = document.querySelector(`[aria-controls="${editor.id}"]`);
  editor.hidden = !isOpen;
  button.setAttribute("aria-expanded", isOpen);
  (isOpen ? editor.querySelector("textarea") : button).focus();
  if (!isOpen) catchUp(editor);
}

document.addEventListener("click", (event) => {
  const edit = event.target.closest("[data-edit]");
  if (edit) openEditor(document.getElementById(edit.getAttribute("aria-controls")), true);
  const cancel = event.target.closest("[data-cancel]");
  if (cancel) openEditor(cancel.closest(".editor"), false);
});

document.addEventListener("changed", ({ target, detail }) => {
  tellTimes(target);
  if (detail.name === "strip") oneStop();
  if (detail.name !== "questions") return;
  const fresh = detail.added.filter((id) => id.startsWith("q-") && id !== "q-more" && !target.dataset.quiet);
  const waits = target.querySelectorAll(".question").length;
  document.title = waits ? `(${waits}) Prefrontal` : "Prefrontal";
  if (fresh.length && !detail.answered) tellOfQuestions(fresh.length);
});

let untold = 0;
let telling = null;

function tellOfQuestions(count) {
  untold += count;
  telling ??= setTimeout(() => {
    say(untold === 1 ? "A new question waits." : `${untold} new questions wait.`);
    untold = 0;
    telling = null;
  }, 2000);
}

// --- what was done -----------------------------------------------------------------------------

function openSection(section) {
  section.querySelector("details").open = true;
  section.scrollIntoView();
  const heading = section.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

document.addEventListener("htmx:config:request", ({ detail }) => {
  detail.ctx.request.headers["X-Prefrontal-Key"] = shown.key;
});
document.addEventListener("htmx:after:request", ({ target, detail }) => {
  const { status, headers } = detail.ctx.response;
  const words = headers.get("X-Prefrontal-Words") || detail.ctx.text;
  if (status >= 400) return complain(words);
  complain("");
  say(words);
  const editor = target.closest?.(".editor");
  if (editor) {
    editor.hidden = true;
    catchUp(editor);
  }
  if (target.dataset?.opens) openSection(document.getElementById(target.dataset.opens));
});
document.addEventListener("htmx:error", () => complain("The server does not answer; nothing was kept."));

tellTimes();
oneStop();
setInterval(() => tellTimes(), 10_000);
connect();
