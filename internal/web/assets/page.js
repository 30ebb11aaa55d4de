// What all pages do with the document. Words come from the server's templates. Text by wallets
// becomes text nodes.
import { fragment } from './api.js';

export const main = document.getElementById('main');
export const find = (selector, ...places) => places.map((at) => at.querySelector(selector)).find(Boolean);
export const part = (name, ...places) => find(`[data-part="${name}"]`, ...(places.length ? places : [main]));
const status = document.getElementById('status');

// say announces a change once to users of screen readers.
export function say(words) {
  if (status.textContent !== words) status.textContent = words;
}

export const HEADLINE = 'h1, .headline';
const nameOf = ({ id, firstElementChild: summary }) => id || summary.textContent;

// showing returns a function that draws views in some places. put fills each place.
export function showing(places, put) {
  // The main statement of a view, '' if it has no states.
  const stateOf = ({ dataset: { stage, status } }) => (stage || status) && `${stage} ${find(HEADLINE, ...places)?.textContent}`;
  const folds = () => places.flatMap((at) => [...at.querySelectorAll('details')]);
  const unfolded = new Set(); // by summary, including those missing from the last view
  let shown = places[0].firstElementChild;
  let said;
  let asks = 0;
  let drawn = 0;

  // It draws the view of a path, unless a newer request was answered first. If the headline differs
  // from the one that the user read, it scrolls into view. Unfolded parts stay unfolded.
  return async (path, late, ask) => {
    const mine = asks += 1;
    const view = await fragment(path, ask);
    if (mine < drawn) return shown;
    if (late?.()) return null;
    drawn = mine;
    const before = shown && stateOf(shown);
    const { activeElement: at } = document;
    const held = at?.dataset.action;
    const read = at === find(HEADLINE, ...places);
    for (const one of folds()) unfolded[one.open ? 'add' : 'delete'](nameOf(one));
    put(view);
    shown = view;
    for (const one of folds()) one.open ||= unfolded.has(nameOf(one));
    const headline = find(HEADLINE, ...places);
    const moved = before && before !== stateOf(view);
    if (moved || read) headline?.focus({ preventScroll: true });
    else if (at?.isConnected) at.focus({ preventScroll: true }); // it may have been moved to the new view
    else if (held) find(`[data-action="${held}"]`, ...places)?.focus();
    // A later view may have replaced the headline by now.
    if (moved) requestAnimationFrame(() => find(HEADLINE, ...places)?.scrollIntoView({ block: 'nearest' }));
    if (said !== view.dataset.announce) say(said = view.dataset.announce);
    return view;
  };
}
export const show = showing([main], (view) => main.replaceChildren(view));

// outdated reports whether the state from the server differs from the view.
const SAID = ['revision', 'status', 'access', 'openedTwice', 'inUse', 'computing'];
export const outdated = (now, { dataset } = main.firstChild) => SAID.some((key) => key in now
  && ({ ...document.getElementById('account').dataset, ...dataset })[key] !== String(now[key]));

export function closed(error) {
  const text = document.getElementById('opening') ?? document.getElementById('gone');
  text.textContent = error.message;
  text.hidden = false;
  document.body.classList.add('offline');
}

export function lost(yes) {
  document.getElementById('lost').hidden = !yes;
  document.body.classList.toggle('offline', yes);
}

// plain makes text by a wallet readable: hidden characters and those that change the direction
// become visible.
export const plain = (text) => String(text ?? '').slice(0, 300)
  .replace(/\p{C}/gu, (c) => `⟦U+${c.codePointAt().toString(16).toUpperCase().padStart(4, 0)}⟧`);

// problem shows one of the view's explanations. quietly means without scrolling.
export function problem(name = '', more = '', quietly = false, within = main) {
  for (const box of within.querySelectorAll('[data-problem]')) {
    const fresh = box.hidden;
    box.hidden = box.dataset.problem !== name;
    if (box.hidden) continue;
    box.querySelector('[data-more]')?.replaceChildren(plain(more));
    if (fresh && !quietly) box.scrollIntoView({ block: 'nearest' });
  }
}
