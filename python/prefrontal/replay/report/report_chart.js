// The picture: wake-ups a day on a log scale against the share of what mattered that was caught.

const SVG = "http://www.w3.org/2000/svg";
const KNOWN = ["heartbeat", "cheap_heartbeat", "on_change", "rule", "random", "prefrontal"];
const LOWEST = 0.05; // the knob's lower end; the picture starts there too
const RHYTHMS = [[1 / 365, "yearly"], [1 / 30, "monthly"], [1 / 7, "weekly"], [1, "daily"],
  [24, "hourly"], [1440, "every minute"]];

function draw(parent, tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return parent.appendChild(node);
}

function canvas(holder, width, height) {
  holder.textContent = "";
  return draw(holder, "svg", { viewBox: `0 0 ${width} ${height}`, width, height });
}

function symbol(parent, name, x, y, size) {
  return draw(parent, "use", { href: `#mark-${name}`, class: `mark ${name}`,
    x: x - size / 2, y: y - size / 2, width: size, height: size });
}

// Powers of ten times 1, 2 or 5 at or beyond the value.
function niceBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((step) => step * power).find((each) => each <= value * 1.0001) || power;
}

function niceAbove(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((each) => each >= value * 0.9999);
}

function scales(replay, width) {
  const narrow = width < 520;
  const height = Math.round(Math.min(460, Math.max(narrow ? 300 : 360, width * 0.6)));
  const box = { left: narrow ? 50 : 54, right: width - (narrow ? 14 : 20), top: 42, bottom: height - 46 };
  const all = replay.policies.map((each) => each.wakes).filter((each) => each > 0);
  const low = niceBelow(Math.min(readCurve(replay, LOWEST).wakes, ...all));
  const high = niceAbove(1.25 * Math.max(replay.windows / replay.days, ...all));
  const span = Math.log10(high / low);
  const x = (wakes) => box.left
    + ((box.right - box.left) * Math.log10(Math.max(wakes, low / 10) / low)) / span;
  const y = (recall) => box.bottom - (box.bottom - box.top - 16) * recall;
  return { width, height, narrow, box, low, high, span, x, y };
}

function drawAxes(svg, at) {
  const { box, x, y } = at;
  for (const percentage of [0, 20, 40, 60, 80, 100]) {
    const height = y(percentage / 100);
    draw(svg, "path", { class: "grid", d: `M${box.left} ${height}H${box.right}` });
    draw(svg, "text", { class: "tick end", x: box.left - 8, y: height + 4 }, `${percentage}\u00a0%`);
  }
  const wanted = at.span <= 2.3 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(at.low)); 10 ** power <= at.high; power += 1) {
    for (let step = 1; step < 10; step += 1) {
      const value = Number((step * 10 ** power).toPrecision(3));
      if (value < at.low * 0.999 || value > at.high * 1.001) continue;
      const strong = wanted.includes(step);
      draw(svg, "path", { class: strong ? "grid strong" : "grid",
        d: `M${x(value)} ${box.bottom}V${strong ? box.top : box.bottom - 5}` });
      if (!strong) continue;
      draw(svg, "text", { class: "tick middle", x: x(value), y: box.bottom + 20 },
        value.toLocaleString("en"));
    }
  }
  let free = box.left;
  for (const [value, words] of RHYTHMS) {
    if (x(value) < free + 2 || x(value) > box.right - 10) continue;
    draw(svg, "path", { class: "rhythm", d: `M${x(value)} ${box.top - 4}V${box.bottom}` });
    draw(svg, "text", { class: "rhythm middle", x: x(value), y: box.top - 8 }, words);
    free = x(value) + 54;
  }
  draw(svg, "path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` });
  draw(svg, "text", { class: "title", x: 0, y: 14 }, "share of what mattered that was caught");
  draw(svg, "text", { class: "title end", x: box.right, y: at.height - 6 },
    "wake-ups a day, log scale");
}

// The curve in pixels, with steps enough between its points that a log scale bends it truly.
function bent(replay, at, curve) {
  const found = [];
  curve.slice(1).forEach(([share, recall], index) => {
    const [from, base] = curve[index];
    const low = Math.max(from, share / 1000);
    const steps = Math.max(1, Math.ceil(Math.log(share / low) / 0.08));
    for (let step = found.length ? 1 : 0; step <= steps; step += 1) {
      const here = low * (share / low) ** (step / steps);
      const part = share > from ? (here - from) / (share - from) : step / steps;
      const caught = base + part * (recall - base);
      found.push([at.x((here * replay.windows) / replay.days), at.y(caught)]);
    }
  });
  return found;
}

function line(points) {
  return points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

function drawCurve(svg, replay, at, curve) {
  const { box } = at;
  const clip = `clip-${draw.count = (draw.count || 0) + 1}`;
  draw(draw(svg, "clipPath", { id: clip }), "rect",
    { x: box.left, y: box.top - 6, width: box.right - box.left, height: box.bottom - box.top + 6 });
  const group = draw(svg, "g", { "clip-path": `url(#${clip})` });
  if (replay.policies.some((each) => each.name === "random")) {
    draw(group, "path", { class: "chance", d: line(bent(replay, at, [[0, 0], [1, 1]])) });
  }
  const end = at.x(replay.windows / replay.days).toFixed(1);
  draw(group, "path", { class: "area", d: `${line(curve)}L${end} ${box.bottom}H${box.left}Z` });
  draw(group, "path", { class: "curve", d: line(curve) });
}

function drawPoints(svg, replay, at, curve) {
  const dots = replay.policies.filter((each) => each.recall !== null && each.wakes > 0)
    .map((each) => ({ ...each, left: at.x(each.wakes), top: at.y(each.recall) }));
  const taken = [];
  const knob = readCurve(replay, Math.max(LOWEST, replay.asked));
  const ring = [[0, 0], [-9, -9], [9, -9], [-9, 9], [9, 9], [-12, 0], [12, 0]]
    .map(([dx, dy]) => [at.x(knob.wakes) + dx, at.y(knob.recall) + dy]);
  const busy = [...curve, ...ring, ...dots.map((each) => [each.left, each.top])];
  for (const each of dots) {
    const size = each.name === "prefrontal" ? 17 : 18;
    const node = draw(svg, "g", { class: "point", tabindex: 0, role: "img" });
    symbol(node, KNOWN.includes(each.name) ? each.name : "other", each.left, each.top, size);
    attachTip(node, () => [each.label, `caught ${percent(each.recall, 1)}`,
      `wake-ups: ${howOften(each.wakes)}`]);
  }
  if (at.narrow) return;
  const ours = (each) => each.name === "prefrontal";
  for (const each of [...dots.filter(ours), ...dots.filter((other) => !ours(other))]) {
    placeLabel(svg, each, at, busy, taken);
  }
}

const SHORT = { heartbeat: "heartbeat", cheap_heartbeat: "cheap heartbeat", on_change: "every change", rule: "rule", random: "by chance" };

// The first place around the point where the words touch neither curve, point nor other words.
function placeLabel(svg, point, at, busy, taken) {
  const words = point.name === "prefrontal" ? `got ${percent(point.recall, 1)}`
    : SHORT[point.name] || point.label;
  const node = draw(svg, "text", { class: `label ${point.name}` }, words);
  const width = node.getComputedTextLength() || words.length * 7.2;
  const spots = [[14, 4], [24, 4], [-width / 2, 24], [-14 - width, 4], [-width / 2, -16], [12, 22],
    [12, -12], [-12 - width, -12], [-12 - width, 22], [-20 - width, -10],
    [-34 - width, 0], [-34 - width, -12], [-20 - width, 12], [18, 36], [26, 52]];
  const fits = spots.map(([dx, dy]) => ({ x: point.left + dx, y: point.top + dy })).find((spot) => {
    const edge = { left: spot.x - 3, right: spot.x + width + 3, top: spot.y - 12, bottom: spot.y + 4 };
    const hit = ([x, y]) => x > edge.left - 5 && x < edge.right + 5 && y > edge.top - 5
      && y < edge.bottom + 5;
    const over = (other) => edge.left < other.right && edge.right > other.left
      && edge.top < other.bottom && edge.bottom > other.top;
    if (edge.left < at.box.left || edge.right > at.width || edge.bottom > at.box.bottom) return false;
    if (edge.top < at.box.top - 2 || busy.some(hit) || taken.some(over)) return false;
    return taken.push(edge);
  });
  if (!fits) return node.remove();
  node.setAttribute("x", fits.x);
  node.setAttribute("y", fits.y);
  return lead(svg, point, fits, width);
}

// Words that stand off their point are tied to it.
function lead(svg, point, spot, width) {
  const x = Math.min(Math.max(point.left, spot.x - 2), spot.x + width + 2);
  const y = Math.min(Math.max(point.top, spot.y - 10), spot.y + 3);
  const away = Math.hypot(x - point.left, y - point.top);
  if (away <= 15) return;
  const [dx, dy] = [(x - point.left) / away, (y - point.top) / away];
  draw(svg, "line", { class: "lead", x1: point.left + 11 * dx, y1: point.top + 11 * dy, x2: x, y2: y });
}
