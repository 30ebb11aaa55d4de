// The home page: what waits.
import { open } from './token.js';
import { post } from './api.js';
import { stop } from './session.js';
import { follow, save, trouble } from './follow.js';
import { closed, main, part, show } from './page.js';

const load = () => show('/api/home/view');

// day is a moment at the beginning of a day in the person's own time zone, or of the
// next one.
const day = (name, next = 0) => {
  const [year, month, date] = part(name).value.split('-').map(Number);
  return date ? new Date(year, month - 1, date + next).toISOString() : '';
};

// receipts saves the receipts of the days that were chosen.
async function receipts() {
  const said = part('receipts-said');
  try {
    const { csv, receipts: n, more } = await post('/api/home/receipts', { from: day('receipts-from'), to: day('receipts-to', 1) });
    said.textContent = 'There is no receipt in this time.';
    if (n) {
      save(new Blob([csv], { type: 'text/csv' }), 'receipts.csv');
      said.textContent = `Saved: ${n} ${n === 1 ? 'receipt' : 'receipts'}${more ? '. There are more: choose fewer days' : ''}.`;
    }
  } catch ({ message }) {
    said.textContent = message;
  }
}

main.addEventListener('click', ({ target }) => {
  const { action, id } = target.closest('[data-action]')?.dataset ?? {};
  if (action === 'receipts') receipts();
  else if (action === 'freeze') stop().then(load).catch(trouble);
  else if (action) post(`/api/home/${action}`, { id }).then(({ url }) => (url ? location.assign(url) : load())).catch(trouble);
});

open(post).then(load).then(() => follow('/api/home', load), closed);
