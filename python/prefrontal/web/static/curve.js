// Each module's threshold under the thumb: the curve, what it says there, and saving it.
"use strict";

const STEPS_OF_CURVE = 100;
const ASK_AFTER_MS = 120;
const curves = new WeakMap(); // card -> what the server said, the picture, the timer

const color = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
const share = (value) => `${(100 * value).toFixed(value !== 1 && value > 0.995 ? 1 : 0)}\u00a0%`;

const RATE_NEEDS_DAYS = 0.25; // as the figures above the cards

function rate(wakes) {
  return wakes >= 10 ? Math.round(wakes).toLocaleString("en") : wakes.toFixed(wakes >= 1 ? 1 : 2);
}

function partsOf(card) {
  const of = (end) => card.querySelector(`#${card.id}-${end}`);
  return { knob: of("knob"), value: of("value"), chart: of("chart"), reading: of("reading"),
    preview: of("preview"), save: of("save"), reset: of("reset") };
}

function readingAt(curve, threshold) {
  const step = Math.round(threshold * STEPS_OF_CURVE);
  return { wakes: curve.wakes[step], recall: curve.recall ? curve.recall[step] : null };
}

function words(curve, threshold) {
  if (!curve?.windows) return "No decision of the last 30 days tells what it would do.";
  const { wakes, recall } = readingAt(curve, threshold);
  const caught = recall === null ? "; nothing that mattered is labelled yet, so no recall is known"
    : `, catches ${share(recall)} of what mattered`;
  if (curve.days < RATE_NEEDS_DAYS) {
    const count = Math.round(wakes * curve.days);
    return `${count.toLocaleString("en")} wake-up${count === 1 ? "" : "s"} so far${caught}`;
  }
  return `${rate(wakes)} wake-ups a day${caught}`;
}

// Thresholds with the same wakes and recall are one point; the axis needs rising values.
function pointsOf(curve) {
  const points = new Map();
  curve.wakes.forEach((wakes, step) => {
    if (wakes > 0) points.set(wakes, Math.max(points.get(wakes) ?? 0, curve.recall[step]));
  });
  return [...points].sort(([one], [other]) => one - other);
}

function drawCurve(card) {
  const kept = curves.get(card);
  const { chart, knob } = partsOf(card);
  kept.plot?.destroy();
  kept.plot = null;
  const points = kept.curve.recall ? pointsOf(kept.curve) : [];
  chart.hidden = points.length < 2;
  if (chart.hidden) return;
  const powers = (_, ticks) => ticks.map((each) => (Math.log10(each) % 1 === 0 ? each : null));
  const axis = { stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false }, font: "12px system-ui, sans-serif" };
  kept.plot = new uPlot({
    width: Math.max(200, chart.clientWidth),
    height: 170,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, distr: 3 }, y: { range: [0, 1.05] } },
    axes: [
      { ...axis, label: "wake-ups a day", labelSize: 16, size: 28, labelGap: -4, labelFont: axis.font,
        filter: powers, grid: { ...axis.grid, filter: powers },
        values: (_, ticks) => ticks.map((each) => (each === null ? "" : String(each))) },
      { ...axis, size: 46, values: (_, ticks) => ticks.map((each) => `${Math.round(each * 100)} %`) },
    ],
    series: [{}, { stroke: color("--caught"), width: 2.5, fill: color("--area"), points: { show: false } }],
    hooks: { draw: [(plot) => drawThumb(plot, kept.curve, Number(knob.value))] },
  }, [points.map(([wakes]) => wakes), points.map(([, recall]) => recall)], chart);
  chart.querySelector(".uplot").setAttribute("aria-hidden", "true");
}

function drawThumb(plot, curve, threshold) {
  const { wakes, recall } = readingAt(curve, threshold);
  const lowest = plot.data[0][0];
  const left = plot.valToPos(Math.max(wakes, lowest), "x", true);
  const top = plot.valToPos(recall, "y", true);
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = color("--caught");
  ctx.lineWidth = 1 * devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(plot.bbox.left, top);
  ctx.lineTo(left, top);
  ctx.lineTo(left, plot.bbox.top + plot.bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.fillStyle = color("--page");
  ctx.beginPath();
  ctx.arc(left, top, 7 * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
  ctx.restore();
}

function showThumb(card) {
  const kept = curves.get(card);
  const { knob, value, reading, save, reset } = partsOf(card);
  const threshold = Number(knob.value);
  value.textContent = threshold.toFixed(2);
  const told = kept ? words(kept.curve, threshold) : "";
  reading.textContent = told;
  knob.setAttribute("aria-valuetext", `${threshold.toFixed(2)}: ${told}`);
  const isMoved = threshold.toFixed(2) !== Number(knob.dataset.saved).toFixed(2);
  save.disabled = !isMoved;
  reset.disabled = !isMoved;
  kept?.plot?.redraw(false);
  if (!isMoved) partsOf(card).preview.textContent = "";
}

function askWhatIf(card) {
  const kept = curves.get(card);
  const { knob, preview } = partsOf(card);
  if (!kept) return;
  clearTimeout(kept.timer);
  kept.timer = setTimeout(async () => {
    const asked = knob.value;
    const query = new URLSearchParams({ module: card.dataset.module, threshold: asked });
    const answer = await fetch(`/modules/preview?${query}`).catch(() => null);
    if (!answer?.ok || knob.value !== asked || partsOf(card).save.disabled) return;
    preview.textContent = (await answer.json()).words;
  }, ASK_AFTER_MS);
}

async function fetchCurve(card) {
  const query = new URLSearchParams({ module: card.dataset.module });
  const answer = await fetch(`/modules/curve?${query}`).catch(() => null);
  if (!answer?.ok || !card.isConnected) return;
  const kept = curves.get(card) ?? { plot: null, timer: 0 };
  kept.curve = await answer.json();
  curves.set(card, kept);
  drawCurve(card);
  showThumb(card);
}

// A curve is asked for when its card first comes into view, and drawn anew for another width.
const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    fetchCurve(target);
  }
}, { rootMargin: "200px" });
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const card = target.closest(".module");
    const plot = curves.get(card)?.plot;
    if (plot && Math.abs(plot.width - target.clientWidth) > 1 && target.clientWidth) drawCurve(card);
  }
});

function meetModules() {
  for (const card of document.querySelectorAll(".module:not([data-met])")) {
    card.dataset.met = "";
    inView.observe(card);
    widths.observe(partsOf(card).chart);
  }
}

document.addEventListener("input", ({ target }) => {
  const card = target.matches("[data-saved]") && target.closest(".module");
  if (!card) return;
  showThumb(card);
  askWhatIf(card);
});
document.addEventListener("saved", ({ target }) => {
  const card = target.closest(".module");
  if (document.activeElement !== target || partsOf(card).save.disabled) target.value = target.dataset.saved;
  showThumb(card);
});
document.addEventListener("click", ({ target }) => {
  const card = target.closest("[data-reset]")?.closest(".module");
  if (!card) return;
  const { knob } = partsOf(card);
  knob.value = knob.dataset.saved;
  knob.focus();
  showThumb(card);
});
document.addEventListener("changed", ({ target, detail }) => {
  if (detail.name === "modules") meetModules();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const card of document.querySelectorAll(".module")) if (curves.get(card)) drawCurve(card);
});
meetModules();
