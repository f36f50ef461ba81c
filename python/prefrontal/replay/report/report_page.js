// Brings the page to life: the knob, the read-out, the tabs, and drawing anew when widths change.

function drawKnob(svg, view, at) {
  const knob = draw(svg, "g", { class: "knob", tabindex: 0, role: "slider",
    "aria-label": "Recall, read from the curve in hindsight",
    "aria-valuemin": LOWEST * 100, "aria-valuemax": 100 });
  const guide = draw(knob, "path", { class: "guide" });
  const ring = draw(knob, "g", {});
  draw(ring, "circle", { class: "reach", r: 22 });
  draw(ring, "circle", { class: "ring", r: 12 });
  view.show = (reading, words) => {
    const [x, y] = [at.x(reading.wakes), at.y(reading.recall)];
    ring.setAttribute("transform", `translate(${x} ${y})`);
    guide.setAttribute("d", `M${at.box.left} ${y}H${x}V${at.box.bottom}`);
    knob.setAttribute("aria-valuenow", Number((reading.recall * 100).toFixed(1)));
    knob.setAttribute("aria-valuetext", `catch ${words.recall}: wake-ups ${words.wakes}, `
      + `${words.useful} tokens per useful wake-up`);
  };
  knob.addEventListener("keydown", (event) => turn(view, event));
  follow(svg, knob, view, at);
}

function turn(view, event) {
  const steps = { ArrowUp: 0.5, ArrowRight: 0.5, ArrowDown: -0.5, ArrowLeft: -0.5, PageUp: 5,
    PageDown: -5, Home: -100, End: 100 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  setRecall(view, view.recall + steps[event.key] / 100);
}

// The knob goes to the place on the curve that is nearest to the pointer.
function follow(svg, knob, view, at) {
  let turning = false;
  const places = [];
  for (let half = LOWEST * 200; half <= 200; half += 1) {
    const reading = readCurve(view.replay, half / 200);
    places.push([half / 200, at.x(reading.wakes), at.y(reading.recall)]);
  }
  const move = (event) => {
    const box = svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const far = ([, left, top]) => (left - x) ** 2 + (top - y) ** 2;
    setRecall(view, places.reduce((best, each) => (far(each) < far(best) ? each : best))[0]);
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest(".point")) return;
    turning = true;
    svg.setPointerCapture(event.pointerId);
    move(event);
    knob.focus({ preventScroll: true });
    event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => {
    turning &&= event.buttons > 0;
    if (turning) move(event);
  });
  svg.addEventListener("pointercancel", () => { turning = false; });
}

function setRecall(view, wanted) {
  view.recall = Math.min(1, Math.max(LOWEST, Math.round(wanted * 1000) / 1000));
  const reading = readCurve(view.replay, view.recall);
  const words = readingWords(reading);
  for (const field of view.section.querySelectorAll("[data-out]")) {
    field.textContent = words[field.dataset.out];
  }
  view.slider.value = view.recall * 100;
  view.slider.setAttribute("aria-valuetext", `${words.recall}: wake-ups ${words.wakes}`);
  view.show(reading, words);
}

function drawChart(figure, view) {
  const holder = figure.querySelector(".canvas");
  const at = scales(view.replay, holder.clientWidth || 680);
  const svg = canvas(holder, at.width, at.height);
  const curve = bent(view.replay, at, view.replay.curve);
  drawAxes(svg, at);
  drawCurve(svg, view.replay, at, curve);
  drawPoints(svg, view.replay, at, curve);
  drawKnob(svg, view, at);
  setRecall(view, view.recall);
}

// Draws once, and again whenever the place for it gets another width.
function whenWide(figure, paint) {
  let width = -1;
  paint();
  new ResizeObserver(([entry]) => {
    if (Math.round(entry.contentRect.width) === width || !entry.contentRect.width) return;
    width = Math.round(entry.contentRect.width);
    paint();
  }).observe(figure.querySelector(".canvas"));
}

function bringToLife(section, replay) {
  const view = { section, replay, recall: Math.max(LOWEST, replay.asked), show() {} };
  const chart = section.querySelector("[data-chart]");
  if (chart) {
    view.slider = section.querySelector("[data-knob]");
    view.slider.disabled = false;
    view.slider.addEventListener("input", () => setRecall(view, view.slider.value / 100));
    whenWide(chart, () => drawChart(chart, view));
  }
  const strip = section.querySelector("[data-strip]");
  if (strip) whenWide(strip, () => drawStrip(strip, replay));
}

function choose(tabs, sections, chosen, focus) {
  tabs.forEach((tab, index) => {
    tab.setAttribute("aria-selected", index === chosen);
    tab.setAttribute("tabindex", index === chosen ? 0 : -1);
    sections[index].hidden = index !== chosen;
  });
  if (focus) tabs[chosen].focus();
}

function openTabs(sections) {
  const list = document.querySelector("[role=tablist]");
  if (!list) return;
  const tabs = [...list.querySelectorAll("[role=tab]")];
  list.hidden = false;
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => choose(tabs, sections, index));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) choose(tabs, sections, (index + step + tabs.length) % tabs.length, true);
    });
    sections[index].setAttribute("role", "tabpanel");
    sections[index].setAttribute("aria-labelledby", tab.id);
  });
  const asked = () => sections.findIndex((each) => `#${each.id}` === window.location.hash);
  window.addEventListener("hashchange", () => asked() >= 0 && choose(tabs, sections, asked()));
  choose(tabs, sections, Math.max(0, asked()));
}

const replays = JSON.parse(document.getElementById("replay-data").textContent);
const sections = [...document.querySelectorAll(".replay")];
openTabs(sections);
sections.forEach((section, index) => bringToLife(section, replays[index]));
document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
