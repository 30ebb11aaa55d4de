// Shared by the pages with lists of requests.
import { main } from './page.js';

// drafts remembers typed text that was not sent, and the position of the cursor. It returns a
// function that restores them.
export function drafts() {
  const at = document.activeElement;
  const kept = [...main.querySelectorAll('[data-draft]')].map((box) => [box.dataset.draft, box.value, box === at && box.selectionStart, box.selectionEnd]);
  return () => {
    for (const [draft, text, from, to] of kept) {
      const box = main.querySelector(`[data-draft="${draft}"]`);
      if (!box) continue;
      box.value = text;
      if (from === false) continue;
      box.focus({ preventScroll: true });
      box.setSelectionRange(from, to);
    }
  };
}

// holds counts down how long prices are valid, and redraws the page when one expires.
let timer;
export function holds(load) {
  clearInterval(timer);
  const list = [...main.querySelectorAll('[data-until]')];
  const tick = () => {
    for (const one of list) {
      const left = Math.max(0, Math.ceil((Date.parse(one.dataset.until) - Date.now()) / 1000));
      one.querySelector('b').textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
      if (left) continue;
      clearInterval(timer);
      setTimeout(load, 500);
      return;
    }
  };
  if (!list.length) return;
  tick();
  timer = setInterval(tick, 1000);
}
