// All requests: waiting, running and finished ones.
import { id, open } from './token.js';
import { post } from './api.js';
import { follow, save, trouble } from './follow.js';
import { holds } from './lists.js';
import { closed, main, part, show } from './page.js';

const path = `/api/reviews/${id}`;
let skip = 0;

async function load() {
  await show(`${path}/view`, undefined, { skip });
  holds(load);
}

// day returns the beginning of a day, or of the next one, in the user's time zone.
const day = (name, next = 0) => {
  const [year, month, date] = part(name).value.split('-').map(Number);
  return date ? new Date(year, month - 1, date + next).toISOString() : '';
};

// receipts saves the receipts of the chosen days.
async function receipts() {
  const said = part('receipts-said');
  try {
    const { csv, receipts: n, more } = await post(`${path}/receipts`, { from: day('receipts-from'), to: day('receipts-to', 1) });
    said.textContent = 'There are no receipts in this period.';
    if (n) {
      save(new Blob([csv], { type: 'text/csv' }), 'receipts.csv');
      said.textContent = `Saved: ${n} ${n === 1 ? 'receipt' : 'receipts'}${more ? '. There are more: choose fewer days' : ''}.`;
    }
  } catch ({ message }) {
    said.textContent = message;
  }
}

main.addEventListener('click', ({ target }) => {
  const { action, skip: to, wish } = target.closest('[data-action]')?.dataset ?? {};
  if (action === 'receipts') receipts();
  else if (wish) post(`${path}/${action}`, JSON.parse(wish)).then(({ url }) => location.assign(url)).catch(trouble);
  else if (action === 'turn') {
    skip = Number(to);
    load().then(() => scrollTo(0, 0)).catch(trouble);
  } else if (action) post(`${path}/${action}`, {}).then(load).catch(trouble);
});

open(post).then(load).then(() => follow(path, load), closed);
