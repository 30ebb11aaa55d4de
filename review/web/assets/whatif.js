// Compares the review with other values. Typed values survive a newer view; results do not.
import { fragment } from './api.js';
import { main, part, say } from './page.js';

const typed = {};
const fields = () => [...main.querySelectorAll('[data-form="whatif"] [name]')];

export const restore = () => fields().forEach((at) => { at.value = typed[at.name] ?? at.value; });

// change returns what differs from the review.
const change = () => Object.fromEntries(fields().filter((at) => at.value.trim() !== at.dataset.was)
  .map((at) => [at.name, at.value.trim()]));

export function compare(path) {
  main.addEventListener('input', ({ target }) => {
    if (target.closest('[data-form="whatif"]')) typed[target.name] = target.value;
  });
  main.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (!event.isTrusted || button.disabled) return;
    button.disabled = true;
    const found = await fragment(`${path}/whatif`, { revision: 0, ...change() }).catch(({ message }) => message);
    part('found')?.replaceChildren(found); // the page may have been redrawn meanwhile
    if (typeof found === 'string') say(found);
    button.disabled = false;
  });
}
