// The strip of the last windows, and the tooltip that the strip and the picture share.

const tip = document.getElementById("tip");

function showTip(node, lines) {
  tip.textContent = "";
  lines.filter(Boolean).forEach((text, index) => {
    const row = tip.appendChild(document.createElement(index ? "span" : "b"));
    row.dir = "auto";
    row.textContent = text;
  });
  tip.hidden = false;
  const box = node.getBoundingClientRect();
  const wide = document.documentElement.clientWidth;
  const left = box.left + box.width / 2 - tip.offsetWidth / 2;
  const above = box.top - tip.offsetHeight - 10;
  tip.style.left = `${Math.max(8, Math.min(left, wide - tip.offsetWidth - 8)) + window.scrollX}px`;
  tip.style.top = `${(above > 4 ? above : box.bottom + 10) + window.scrollY}px`;
}

function hideTip() {
  tip.hidden = true;
}

// The words show on hover and on focus, and are the node's name for those who cannot see it.
function attachTip(node, lines) {
  node.setAttribute("aria-label", lines().filter(Boolean).join(", "));
  for (const on of ["pointerenter", "focus"]) node.addEventListener(on, () => showTip(node, lines()));
  for (const off of ["pointerleave", "blur"]) node.addEventListener(off, hideTip);
}

function stripRow(svg, bars, top, width, slots, nodes) {
  const box = { left: 34, right: width - 4, top, bottom: top + 96 };
  const step = (box.right - box.left) / slots;
  const y = (score) => box.bottom - (box.bottom - box.top) * Math.min(1, Math.max(0, score));
  for (const score of [0, 0.5, 1]) {
    draw(svg, "path", { class: "grid", d: `M${box.left} ${y(score)}H${box.right}` });
    draw(svg, "text", { class: "tick end", x: box.left - 8, y: y(score) + 4 }, String(score));
  }
  const size = Math.min(11, Math.max(5.5, step * 1.15));
  bars.forEach((bar, index) => {
    const left = box.left + index * step;
    const node = draw(svg, "g", { class: `bar ${bar.kind}`, role: "img", tabindex: -1 });
    draw(node, "rect", { class: "hit", x: left, y: box.top - 4, width: step, height: 124 });
    if (bar.kind === "missed") {
      draw(node, "rect", { class: "alarm", x: left, y: box.top, width: step, height: 96 });
    }
    const height = Math.max(1.5, box.bottom - y(bar.score));
    const width = Math.min(9, Math.max(1.5, step * 0.68));
    draw(node, "rect", { class: "score", x: left + (step - width) / 2, y: box.bottom - height,
      width, height });
    symbol(node, bar.kind, left + step / 2, box.bottom + 11, size);
    attachTip(node, () => [`${bar.verdict[0].toUpperCase()}${bar.verdict.slice(1)}`,
      `score ${bar.score.toFixed(2)}, threshold ${bar.threshold.toFixed(2)}`, bar.when,
      bar.text, bar.paths]);
    nodes.push(node);
  });
  const levels = bars.map((bar, index) => `${index ? "L" : "M"}${box.left + index * step} `
    + `${y(bar.threshold)}h${step}`);
  draw(svg, "path", { class: "threshold", d: levels.join("") });
  dates(svg, bars, box, step);
}

// A date below every place where there is room for one.
function dates(svg, bars, box, step) {
  const every = Math.max(1, Math.ceil(104 / step));
  bars.forEach((bar, index) => {
    if (index % every || box.left + index * step + 80 > box.right + 4) return;
    const x = box.left + (index + 0.5) * step;
    draw(svg, "path", { class: "axis", d: `M${x} ${box.bottom + 21}v4` });
    draw(svg, "text", { class: "tick", x: x - 3, y: box.bottom + 38 }, bar.day);
  });
}

// One stop for the tab key; the arrow keys walk along the windows.
function walk(nodes) {
  nodes[nodes.length - 1].setAttribute("tabindex", 0);
  nodes.forEach((node, index) => {
    node.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: nodes.length - 1 }[event.key];
      if (to === undefined || !nodes[to]) return;
      event.preventDefault();
      node.setAttribute("tabindex", -1);
      nodes[to].setAttribute("tabindex", 0);
      nodes[to].focus();
    });
  });
}

function drawStrip(figure, replay) {
  const holder = figure.querySelector(".canvas");
  const width = holder.clientWidth || 680;
  const rows = Math.ceil(replay.strip.length / (width < 620 ? 40 : 120));
  const slots = Math.max(20, Math.ceil(replay.strip.length / rows));
  const svg = canvas(holder, width, rows * 154);
  const nodes = [];
  for (let row = 0; row < rows; row += 1) {
    stripRow(svg, replay.strip.slice(row * slots, (row + 1) * slots), row * 154 + 8, width, slots, nodes);
  }
  walk(nodes);
}
