// Keeps the regions of the page as the server says they are, piece by piece, so that what a person
// has in hand (focus, a text, a thumb) stays where it is.
"use strict";

const shown = {
  instance: document.body.dataset.instance,
  number: Number(document.body.dataset.number),
  key: document.body.dataset.key,
};

function pieceFrom(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.firstElementChild;
}

// A piece with data-patch stays; only its parts with data-live are exchanged.
function patch(old, fresh) {
  for (const part of fresh.querySelectorAll("[data-live]")) {
    const at = document.getElementById(part.id);
    if (at && old.contains(at) && !at.isEqualNode(part)) at.replaceWith(part);
  }
  const saved = fresh.querySelector("[data-saved]")?.dataset.saved;
  const knob = old.querySelector("[data-saved]");
  if (saved !== undefined && knob.dataset.saved !== saved) {
    knob.dataset.saved = saved;
    knob.dispatchEvent(new CustomEvent("saved", { bubbles: true }));
  }
  return old;
}

const WRITING = ".editor:not([hidden])";
const waiting = new Map(); // what a piece is to become when nobody writes in it any more

function renew(old, fresh) {
  if (old.hasAttribute("data-patch")) return patch(old, fresh);
  waiting.delete(old.id);
  if (old.querySelector(WRITING)) {
    waiting.set(old.id, fresh);
    return old;
  }
  for (const fold of old.querySelectorAll("details[open]")) {
    const same = fold.id && fresh.querySelector(`#${fold.id}`);
    if (same) same.open = true;
  }
  old.replaceWith(fresh);
  return fresh;
}

// To be called when an editor was closed.
function catchUp(editor) {
  const piece = editor.closest("[data-region] > *");
  const fresh = piece && waiting.get(piece.id);
  if (!fresh || piece.querySelector(WRITING)) return;
  const held = piece.contains(document.activeElement) ? document.activeElement.id : "";
  renew(piece, fresh);
  if (window.htmx) htmx.process(fresh);
  if (held) (document.getElementById(held) ?? firstStop(fresh))?.focus();
  fresh.dispatchEvent(new CustomEvent("changed", { bubbles: true, detail: { name: "", added: [] } }));
}

function firstStop(piece) {
  return piece?.querySelector("button:not([disabled]):not([hidden]), [tabindex]");
}

// Where the focus goes when what had it is gone: the piece that moved up, or the heading.
function refocus(region, id, place) {
  const same = id && document.getElementById(id);
  if (same && region.contains(same)) return same.focus();
  const heading = region.closest("section").querySelector("h2");
  const next = firstStop(region.children[Math.min(place, region.children.length - 1)]);
  if (!next) heading.tabIndex = -1;
  return (next || heading).focus();
}

// False when a piece is missing: then the page has to ask for everything.
function applyRegion(name, told) {
  const region = document.getElementById(name);
  const held = region.contains(document.activeElement) ? document.activeElement : null;
  const place = held ? [...region.children].findIndex((each) => each.contains(held)) : 0;
  const order = told.order ?? [...region.children].map((each) => each.id);
  const before = new Set([...region.children].map((each) => each.id));
  let next = region.firstElementChild;
  const wanted = new Set(order);
  for (const id of order) {
    while (next && !wanted.has(next.id)) {
      const gone = next;
      next = next.nextElementSibling;
      gone.remove();
    }
    let piece = before.has(id) ? document.getElementById(id) : null;
    const html = told.pieces[id];
    if (!piece && html === undefined) return false;
    const isNext = piece && piece === next;
    if (html !== undefined) {
      const fresh = pieceFrom(html);
      piece = piece ? renew(piece, fresh) : fresh;
      if (isNext) next = piece;
      else region.insertBefore(piece, next);
      if (window.htmx && html.includes(" hx-")) htmx.process(piece);
    } else if (!isNext) {
      region.insertBefore(piece, next);
    }
    if (isNext) next = next.nextElementSibling;
  }
  while (next) {
    const gone = next;
    next = next.nextElementSibling;
    gone.remove();
  }
  if (held && !held.isConnected) refocus(region, held.id, place);
  const added = order.filter((id) => !before.has(id));
  region.dispatchEvent(new CustomEvent("changed", { bubbles: true, detail: { name, added } }));
  return true;
}

function applyRegions(regions) {
  return Object.entries(regions).every(([name, told]) => applyRegion(name, told));
}

// A change fits when it begins where this page is; false when one in between is missing.
function applyChange(change) {
  if (change.to <= shown.number) return true;
  if (change.from !== shown.number) return false;
  shown.number = change.to;
  return applyRegions(change.regions);
}

function applyState(state) {
  Object.assign(shown, { instance: state.instance, number: state.number, key: state.key });
  applyRegions(state.regions);
}
