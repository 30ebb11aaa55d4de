// The receipt page: one transaction as reported by a node, which is queried only when the user
// asks.
import { id } from './token.js';
import { fragment } from './api.js';
import { main, part, plain, say } from './page.js';

const DIGEST = /^[1-9A-HJ-NP-Za-km-z]{43,44}$/;
const button = main.querySelector('[data-action="look"]');
const opening = document.getElementById('opening');

function problem(text) {
  opening.textContent = plain(text);
  opening.hidden = !text;
}

button.addEventListener('click', async ({ isTrusted }) => {
  if (!isTrusted) return;
  button.disabled = true;
  main.ariaBusy = true;
  problem('');
  try {
    const found = await fragment('/api/receipt', { digest: id });
    part('found').replaceChildren(found);
    part('found').focus({ preventScroll: true });
    say(found.dataset.announce);
    button.textContent = 'Ask again';
  } catch ({ message }) {
    problem(message);
  }
  main.ariaBusy = false;
  button.disabled = false;
});

part('digest').textContent = plain(id);
button.disabled = !DIGEST.test(id);
if (button.disabled) problem('This is not the digest of a transaction. Copy the whole link.');
