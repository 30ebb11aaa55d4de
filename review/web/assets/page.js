// What all pages do to the document. Words come from the server's templates;
// text of wallets becomes text nodes.
import { fragment } from './api.js';
import { live } from './live.js';

export const main = document.getElementById('main');
export const part = (name, root = main) => root.querySelector(`[data-part="${name}"]`);
const status = document.getElementById('status');

// say tells what changed to those who do not see it, once.
export function say(words) {
  if (status.textContent !== words) status.textContent = words;
}

// show draws the view of a path, unless it has become too late for that.
export async function show(path, late) {
  const view = await fragment(path);
  if (late?.()) return null;
  const held = document.activeElement?.dataset?.action;
  main.replaceChildren(view);
  if (held) main.querySelector(`[data-action="${held}"]`)?.focus();
  say(view.dataset.announce);
  return view;
}

// outdated: the server's word of the present state differs from the view.
export const outdated = (now) => Object.entries(now)
  .some(([key, value]) => ({ ...document.getElementById('account').dataset, ...main.firstChild.dataset })[key] !== String(value));

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

// problem shows one of the view's explanations.
export function problem(name = '', more = '') {
  for (const box of main.querySelectorAll('[data-problem]')) {
    box.hidden = box.dataset.problem !== name;
    if (box.hidden) continue;
    box.querySelector('[data-more]')?.replaceChildren(plain(more));
    box.scrollIntoView({ block: 'nearest' });
  }
}

export const trouble = ({ message }) => problem('server', message);

// follow loads whenever what is shown is outdated.
export function follow(load) {
  const again = () => load().catch(trouble);
  live({
    changed: (now) => outdated(now) && again(),
    lost: () => lost(true),
    back: () => [lost(false), again()],
    ended: closed,
  });
}

// save hands a file to the browser.
export function save(file, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `say-ur-intent-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
