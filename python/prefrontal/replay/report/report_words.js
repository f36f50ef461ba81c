"use strict";
// Reads the curve and words its figures exactly as reading.py, wording.py and plain_figures.py do.

const NOTHING = "–";

function grouped(value, places = 0) {
  const [whole, part] = value.toFixed(places).split(".");
  const commas = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part ? `${commas}.${part}` : commas;
}

function percent(share, digits = 0) {
  if (share === null) return NOTHING;
  const value = share * 100;
  for (let places = digits; places < 4; places += 1) {
    const text = value.toFixed(places);
    if ((Number(text) !== 0 && Number(text) !== 100) || Number(text) === value) {
      return `${text}\u00a0%`;
    }
  }
  return value < 50 ? "under 0.001\u00a0%" : "over 99.999\u00a0%";
}

// A recall that was asked for, as precisely as the knob can ask.
function level(recall) {
  return `${Number((recall * 100).toPrecision(3))}\u00a0%`;
}

// Wake-ups a day as a person counts them.
function howOften(perDay) {
  if (perDay === null) return NOTHING;
  if (perDay <= 0) return "never";
  const days = 1 / perDay;
  if (days >= 700) return `one every ${grouped(days / 365.25)} years`;
  if (days >= 60) return `one every ${(days / 30.4).toFixed(0)} months`;
  if (days >= 3.75) return `one every ${days.toFixed(0)} days`;
  if (days >= 1.25) return `one every ${Number((2 * days).toFixed(0)) / 2} days`;
  if (perDay < 1.05) return "one a day";
  if (perDay < 9.95) return `${perDay.toFixed(1).replace(/\.0$/, "")} a day`;
  return `${grouped(perDay)} a day`;
}

function usd(amount) {
  if (amount === null) return NOTHING;
  if (amount > 0 && amount < 0.005) return "under $0.01";
  return `$${grouped(amount, amount < 99.995 ? 2 : 0)}`;
}

function times(factor) {
  return factor >= 9.95 ? `${grouped(factor)}×` : `${factor.toFixed(1)}×`;
}

function tokens(count) {
  return count === null ? NOTHING : grouped(Number(count.toPrecision(3)));
}

function thanHeartbeat(factor) {
  if (factor === null || factor <= 0) return NOTHING;
  return factor >= 1 ? `${times(factor)} fewer` : `${times(1 / factor)} more`;
}

function thanOnChange(saved) {
  if (saved === null) return NOTHING;
  return saved >= 0 ? `${percent(saved)} fewer` : `${percent(-saved)} more`;
}

// The smallest share woken that reaches the recall, straight between the curve's points.
function shareAt(curve, recall) {
  let before = [0, 0];
  for (const point of curve) {
    if (point[1] >= recall) {
      const rise = point[1] - before[1];
      const part = rise > 0 ? (recall - before[1]) / rise : 1;
      return before[0] + part * (point[0] - before[0]);
    }
    before = point;
  }
  return 1;
}

function wakesOf(replay, name) {
  const row = replay.policies.find((each) => each.name === name);
  return row ? row.wakes : 0;
}

function readCurve(replay, recall) {
  const share = shareAt(replay.curve, recall);
  const wakes = (share * replay.windows) / replay.days;
  const useful = recall * replay.relevant;
  const beats = wakesOf(replay, "heartbeat");
  const changes = wakesOf(replay, "on_change");
  return {
    recall,
    share,
    wakes,
    month: (wakes * replay.tokens * 30 * replay.price) / 1e6,
    useful: useful ? ((share * replay.windows) / useful) * replay.tokens : null,
    heartbeat: beats && wakes ? beats / wakes : null,
    change: changes ? 1 - wakes / changes : null,
  };
}

// The same figures as words, under the names that the read-out's fields carry.
function readingWords(reading) {
  return {
    recall: level(reading.recall),
    wakes: howOften(reading.wakes),
    share: percent(reading.share, 1),
    useful: tokens(reading.useful),
    month: usd(reading.month),
    heartbeat: thanHeartbeat(reading.heartbeat),
    change: thanOnChange(reading.change),
  };
}
