// The page of a bundle: several transactions, which are approved once, and each reviewed and signed
// on this page.
import { open, page, shut } from './token.js';
import { post } from './api.js';
import { follow } from './follow.js';
import { HEADLINE, closed, find, main, part, problem, showing } from './page.js';
import { read } from './reading.js';

const path = `/api/${page}`;
const ticked = () => [...main.querySelectorAll('[data-accept]:checked')].map((box) => box.dataset.accept);
const told = ({ message }) => problem('server', message, false, part('told'));

// The open review: its step, where it is shown, and where it is signed.
let step = null;
let leads = false; // the user took over in this tab
let status = ''; // of the bundle, as last drawn

// Open parts stay open while the page around them is redrawn.
function carry(view) {
  if (!step) return;
  if (step.of !== view.dataset.step && !step.reading?.asks()) {
    step.reading?.end();
    shut(step.of);
    step = null;
    return;
  }
  part('step', view)?.replaceChildren(step.read);
  part('act', view)?.replaceChildren(step.act);
}

const show = showing([main], (view) => {
  carry(view);
  main.replaceChildren(view);
});

// unfold opens the review of the current step. Unless the page was just opened, its headline gets
// the focus.
async function unfold(quietly) {
  const { step: of } = main.firstElementChild.dataset;
  if (!of || step) return;
  const mine = step = { of, read: document.createElement('div'), act: document.createElement('div') };
  try {
    const { url } = await post(`${path}/open`, {});
    const { pathname, hash } = new URL(url);
    if (pathname === `/${of}`) await open(post, of, hash.slice(1));
    if (leads) await post(`/api/${of}/continue`, { revision: 0 });
    if (pathname !== `/${of}` || step !== mine) throw new Error('Another step has its turn now.');
  } catch (error) {
    if (step === mine) step = null;
    throw error;
  }
  mine.reading = read(of, 'step', [mine.read, mine.act], (view) => {
    mine.read.replaceChildren(view);
    mine.act.replaceChildren(find('.act', view));
  }, () => { // the next step may have come while the wallet was asked
    const { step: now } = main.firstElementChild.dataset;
    if (now && now !== of && step === mine && !mine.reading?.asks()) load().catch(told);
  });
  carry(main.firstElementChild);
  await mine.reading.ready;
  if (!quietly && step === mine) find(HEADLINE, mine.read)?.focus();
}

// Ticks survive a redraw of the page.
async function load(quietly) {
  let kept; // stays undefined if a newer view is shown
  await show(`${path}/view`, () => { kept = ticked(); });
  if (kept) for (const box of main.querySelectorAll('[data-accept]')) box.checked = kept.includes(box.dataset.accept);
  ready();
  const before = status;
  ({ status } = main.firstElementChild.dataset);
  if (status !== before && matchMedia('(min-width: 60em)').matches) part('totals').open = true; // there is room
  await unfold(quietly);
}

// ready enables the button once all required ticks are set.
function ready() {
  const button = main.querySelector('[data-action="approve"]');
  if (button) button.disabled = ticked().length < main.querySelectorAll('[data-accept]').length;
}

main.addEventListener('change', ready);
main.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-action]');
  if (button?.dataset.action === 'apart') post(`${path}/open`, {}).then(({ url }) => location.assign(url)).catch(told);
  if (!button || button.disabled || button.closest('[data-part="step"], [data-part="act"]')) return;
  const { action, mode } = button.dataset;
  if (button.getAttribute('aria-pressed') === 'true') return; // already chosen
  problem('', '', true, part('told'));
  button.disabled = true;
  leads ||= action === 'continue';
  post(`${path}/${action}`, action === 'continue' ? {} : { revision: Number(main.firstElementChild.dataset.revision), accepted: ticked(), mode })
    .then(() => load())
    .catch(async (error) => {
      await load().catch(() => {});
      told(error);
    })
    .finally(() => {
      button.disabled = false;
      ready();
    });
});

open(post).then(() => load(true)).then(() => follow(path, () => load().catch(told)), closed);
