// Shared by all pages except the review: they are redrawn when something changed.
import { live } from './live.js';
import { closed, lost, outdated, problem } from './page.js';

export const trouble = ({ message }) => problem('server', message);

// follow calls load whenever the page is outdated.
export function follow(path, load) {
  const again = () => load().catch(trouble);
  live(`${path}/state`, {
    changed: (now) => outdated(now) && again(),
    lost: () => lost(true),
    back: () => [lost(false), again()],
    ended: closed,
  });
}

// save lets the browser save a file.
export function save(file, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `say-ur-intent-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
