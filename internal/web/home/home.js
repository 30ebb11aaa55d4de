// The home page: what needs the user, what is running, and what was done recently.
import { open } from './token.js';
import { fragment, post } from './api.js';
import { follow, trouble } from './follow.js';
import { drafts, holds } from './lists.js';
import { closed, main, part, show } from './page.js';

// worth loads the account's holdings separately from the page. They stay when the page is redrawn.
async function worth() {
  const card = part('worth');
  if (!card) return;
  const found = await fragment('/api/home/worth', {}).catch(() => null);
  if (found) part('worth')?.replaceWith(found);
}

let shown; // state for which the holdings were loaded
async function load() {
  const kept = part('worth');
  let give; // stays undefined if a newer view is shown
  const view = await show('/api/home/view', () => { give = drafts(); });
  give?.();
  holds(load);
  if (kept && part('worth')) part('worth').replaceWith(kept);
  const now = `${document.getElementById('account').dataset.inUse} ${view.dataset.last}`;
  if (shown !== now) worth();
  shown = now;
  const count = Number(view.dataset.count);
  document.title = `${count ? `(${count}) ` : ''}Home · Say Ur Intent`;
}

const answer = (body) => post('/api/home/answer', body).then(load).catch(trouble);
const actions = {
  again: worth,
  choose: ({ id, value }) => answer({ id, answer: value }),
  decline: ({ id }) => answer({ id, declined: true }),
};

main.addEventListener('click', ({ target }) => {
  const { action, id, value, wish } = target.closest('[data-action]')?.dataset ?? {};
  if (wish) post(`/api/home/${action}`, JSON.parse(wish)).then(({ url }) => location.assign(url)).catch(trouble);
  else if (actions[action]) actions[action]({ id, value });
  else if (action) post(`/api/home/${action}`, { id }).then(({ url }) => (url ? location.assign(url) : load())).catch(trouble);
});
main.addEventListener('submit', (submitted) => {
  submitted.preventDefault();
  const { dataset: { id } } = submitted.target;
  answer({ id, answer: submitted.target.querySelector('textarea').value });
});

open(post).then(load).then(() => follow('/api/home', load), closed);
