// The account page: this computer's data, and data from a Sui node. Each part of the latter is
// loaded, and can fail, separately.
import { id, open } from './token.js';
import { fragment, post } from './api.js';
import { follow, save, trouble } from './follow.js';
import { closed, main, part, say, show } from './page.js';
import { local } from './times.js';

const path = `/api/account/${id}`;
const PARTS = ['holdings', 'staked', 'permissions'];
// Some responses also fill places outside their own part.
const PLACES = { holdings: ['orders', 'manager'], permissions: ['taking'] };
const ALL = [...PARTS, ...Object.values(PLACES).flat()];

// asked is the latest request of each place.
const asked = new WeakMap();

// read fills a place of the page and remembers there what it requested. A response belongs to the
// page that requested it. If it is late, it changes nothing.
async function read(at, name, ask = {}) {
  Object.assign(at.dataset, { read: name, ask: JSON.stringify(ask) });
  at.ariaBusy = true;
  for (const button of at.querySelectorAll('button')) button.disabled = true;
  const held = at.contains(document.activeElement);
  const places = (PLACES[name] ?? []).map((place) => [place, part(place)]);
  const answer = fragment(`${path}/${name}`, ask)
    .catch(() => part('failed').content.firstElementChild.cloneNode(true));
  asked.set(at, answer);
  const found = await answer;
  if (asked.get(at) !== answer) return;
  at.replaceChildren(found);
  at.ariaBusy = false;
  found.tabIndex = -1;
  for (const [place, into] of places) {
    const part1 = found.querySelector(`[data-place="${place}"]`);
    into.replaceChildren(...(part1 ? local(document.importNode(part1.content, true)).childNodes : []));
  }
  if (!at.isConnected) return;
  if (held) found.focus({ preventScroll: true });
  say(found.dataset.announce ?? found.firstElementChild.textContent);
}

// table saves the stored changes as a file.
async function table(button) {
  const said = part('changes-said');
  button.disabled = true;
  try {
    const { csv, lines, more } = await post(`${path}/changes`, {});
    said.textContent = 'Nothing is stored yet. Ask your AI client what this account did.';
    if (lines) {
      save(new Blob([csv], { type: 'text/csv' }), `${id.slice(0, 10)}.csv`);
      said.textContent = `Saved: ${lines} ${lines === 1 ? 'change' : 'changes'}${more ? '. There are more, which are left out' : ''}.`;
    }
  } catch ({ message }) {
    said.textContent = message;
  }
  button.disabled = false;
}

// prepare creates the review for which a button is, and opens it.
async function prepare(button) {
  button.disabled = true;
  try {
    location.assign((await post(`${path}/prepare`, JSON.parse(button.dataset.wish))).url);
  } catch (error) {
    trouble(error);
    button.disabled = false;
  }
}

// load keeps what was read from the chain when the rest of the page changes.
async function load() {
  const before = main.querySelector('#view')?.dataset.access;
  const kept = ALL.map((name) => part(name));
  const { dataset: { access } } = await show(`${path}/view`);
  ALL.forEach((name, i) => {
    if (kept[i] && before === access) part(name).replaceWith(kept[i]);
    else if (PARTS.includes(name)) read(part(name), name);
  });
}

main.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-action]');
  if (!button) return;
  const { action, id: which, cursor } = button.dataset;
  const place = button.closest('[data-part]');
  const again = button.closest('[data-read]') ?? part('holdings');
  if (action === 'changes') {
    table(button);
    return;
  }
  if (action === 'again') read(again, again.dataset.read, JSON.parse(again.dataset.ask));
  else if (action === 'more') read(place, 'more', { cursor });
  else if (action === 'prepare') prepare(button);
  else if (action === 'inside') read(place, 'inside', { manager: which });
  else post(`${path}/${action}`, { id: which }).then(({ url }) => (url ? location.assign(url) : load())).catch(trouble);
});

open(post).then(load).then(() => follow(path, load), closed);
