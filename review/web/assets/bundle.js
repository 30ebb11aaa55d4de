// The page of a bundle: several transactions, approved once, signed one after another on
// pages of their own, in the same tab.
import { id, open } from './token.js';
import { post } from './api.js';
import { follow, trouble } from './follow.js';
import { closed, main, problem, show } from './page.js';

const path = `/api/bundle/${id}`;
const ticked = () => [...main.querySelectorAll('[data-accept]:checked')].map((box) => box.dataset.accept);

// Ticks stay while the page is drawn anew.
async function load() {
  let kept = [];
  await show(`${path}/view`, () => { kept = ticked(); });
  for (const box of main.querySelectorAll('[data-accept]')) box.checked = kept.includes(box.dataset.accept);
  ready();
}

// ready: the button stays off until everything that is asked for again is ticked.
function ready() {
  const button = main.querySelector('[data-action="approve"]');
  if (button) button.disabled = ticked().length < main.querySelectorAll('[data-accept]').length;
}

main.addEventListener('change', ready);
main.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-action]');
  if (!button || button.disabled) return;
  const { action, mode } = button.dataset;
  if (button.getAttribute('aria-pressed') === 'true') return; // chosen already
  problem();
  button.disabled = true;
  post(`${path}/${action}`, action === 'continue' ? {} : { revision: Number(main.firstElementChild.dataset.revision), accepted: ticked(), mode })
    .then(({ url }) => (action === 'approve' ? post(`${path}/open`, {}).catch(() => ({})) : { url }))
    .then(({ url }) => (url ? location.assign(url) : load()))
    .catch(async (error) => {
      await load().catch(() => {});
      trouble(error);
    })
    .finally(() => {
      button.disabled = false;
      ready();
    });
});

open(post).then(load).then(() => follow(path, load), closed);
