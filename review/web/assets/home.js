// The home page: what waits. Each review is opened by a fresh link of its own.
import { open } from './token.js';
import { post } from './api.js';
import { follow, trouble } from './follow.js';
import { closed, main, show } from './page.js';

const load = () => show('/api/home/view');

main.addEventListener('click', ({ target }) => {
  const { action, id } = target.closest('[data-action]')?.dataset ?? {};
  if (action) post(`/api/home/${action}`, { id }).then(({ url }) => (url ? location.assign(url) : load())).catch(trouble);
});

open(post).then(load).then(() => follow('/api/home', load), closed);
