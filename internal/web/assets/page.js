// What all pages do to the document. Words come from the server's templates;
// text of wallets becomes text nodes.
import { fragment } from './api.js';

export const main = document.getElementById('main');
export const part = (name, root = main) => root.querySelector(`[data-part="${name}"]`);
const status = document.getElementById('status');

// say tells what changed to those who do not see it, once.
export function say(words) {
  if (status.textContent !== words) status.textContent = words;
}

// stateOf is what a page says first, '' where it has no states.
const stateOf = ({ dataset: { stage, status } }) => (stage || status) && `${stage} ${main.querySelector('h1')?.textContent}`;

const folds = () => [...main.querySelectorAll('details')];
const unfolded = new Set(); // by summary, also of those that a view in between lacked
const nameOf = ({ id, firstElementChild: summary }) => id || summary.textContent;

let asks = 0;
let drawn = 0;

// show draws the view of a path, unless that is too late. A newer view stays when the
// answer to an older request arrives after it. Another headline than the one that was
// read comes into sight; what was unfolded stays so.
export async function show(path, late, ask) {
  const mine = asks += 1;
  const view = await fragment(path, ask);
  if (mine < drawn) return main.firstElementChild;
  if (late?.()) return null;
  drawn = mine;
  const before = stateOf(main.firstElementChild);
  const { tagName, dataset: { action: held } = {} } = document.activeElement ?? {};
  for (const one of folds()) unfolded[one.open ? 'add' : 'delete'](nameOf(one));
  main.replaceChildren(view);
  for (const one of folds()) one.open ||= unfolded.has(nameOf(one));
  const headline = main.querySelector('h1');
  const moved = before && before !== stateOf(view);
  if (moved || tagName === 'H1') headline?.focus({ preventScroll: true });
  // A later view may have taken the headline's place by then.
  if (moved) requestAnimationFrame(() => main.querySelector('h1')?.scrollIntoView({ block: 'nearest' }));
  else if (held) main.querySelector(`[data-action="${held}"]`)?.focus();
  say(view.dataset.announce);
  return view;
}

// outdated: the server's word of the present state differs from the view.
const SAID = ['revision', 'status', 'access', 'openedTwice', 'inUse', 'computing'];
export const outdated = (now) => SAID.some((key) => key in now
  && ({ ...document.getElementById('account').dataset, ...main.firstChild.dataset })[key] !== String(now[key]));

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

// plain makes text of a wallet fit to be read: what hides or turns it is shown.
export const plain = (text) => String(text ?? '').slice(0, 300)
  .replace(/\p{C}/gu, (c) => `⟦U+${c.codePointAt().toString(16).toUpperCase().padStart(4, 0)}⟧`);

// problem shows one of the view's explanations; quietly: without moving the page.
export function problem(name = '', more = '', quietly = false) {
  for (const box of main.querySelectorAll('[data-problem]')) {
    const fresh = box.hidden;
    box.hidden = box.dataset.problem !== name;
    if (box.hidden) continue;
    box.querySelector('[data-more]')?.replaceChildren(plain(more));
    if (fresh && !quietly) box.scrollIntoView({ block: 'nearest' });
  }
}
