// Copies the text that a copy button names to the clipboard, and says so.
import { say } from './page.js';

document.addEventListener('click', async ({ target, isTrusted }) => {
  const button = target.closest?.('[data-copy]');
  if (!button || !isTrusted) return;
  const done = await navigator.clipboard.writeText(button.dataset.copy).then(() => true, () => false);
  button.dataset.copied = done ? 'yes' : 'no';
  say(done ? 'Copied.' : 'The browser did not allow copying. Select it and copy it yourself.');
  setTimeout(() => delete button.dataset.copied, 2000);
});
