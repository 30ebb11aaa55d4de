// The review page: it signs what is shown and nothing else, and never lets
// figures change under the person's finger.
import { id, open, recall } from './token.js';
import { fragment, post } from './api.js';
import { discover } from './wallets.js';
import { deliver, holds, outcome, resign, sign } from './sign.js';
import { live } from './live.js';
import { closed, lost, main, outdated, part, problem, show } from './page.js';

const ARM = 800; // ms that the figures must have stood still
const HANG = 60000; // ms of a wallet's silence that are worth a word
const path = `/api/review/${id}`;

let wallets = [];
let view = null;
let seen = null; // {commitment, facts}, first seen or acknowledged
let changed = false; // newer figures wait for the person's word
let signing = null; // {step, digest}
let trouble = null; // [problem, more]
let arming = 0;
let ends = null; // when the figures are too old, by both clocks: one may stand still, the other be set
let over = false; // they are, and that was said
let computed = '';
let shown = ''; // the commitment that accepted is about
let accepted = new Set(); // what the person accepted of the transaction that is shown

// load reads the present state. What differs is marked, and signing waits.
async function load() {
  view = await show(`${path}/view`);
  const { commitment, expiresIn, next, access, revision, stage, released } = view.dataset;
  ends = commitment ? [performance.now() + Number(expiresIn), Date.now() + Number(expiresIn)] : null;
  over = false;
  if (commitment) compare(commitment);
  if (stage === 'success' || stage === 'failure') trouble = null;
  main.querySelector('[data-action="submit"]')?.toggleAttribute('hidden', !recall('release'));
  part('resign')?.toggleAttribute('hidden', !holds(released));
  paint();
  main.querySelectorAll('[data-later]').forEach(fill);
  if (next && access === 'active' && computed !== revision) await compute();
}

// fill loads what the page can do without.
function fill(at) {
  at.hidden = true;
  fragment(at.dataset.later).then((found) => {
    at.replaceChildren(found);
    at.hidden = false;
  }).catch(() => {});
}

function compare(commitment) {
  const all = [...main.querySelectorAll('[data-fact]')];
  const facts = new Map(all.map((at) => [at.dataset.fact, at.textContent.trim()]));
  changed ||= seen && seen.commitment !== commitment;
  if (shown !== commitment) [shown, accepted] = [commitment, new Set()];
  if (!changed) {
    seen = { commitment, facts };
    return;
  }
  part('changed').hidden = false;
  for (const at of all) {
    const name = at.dataset.fact;
    if (seen.facts.get(name) === facts.get(name)) continue;
    at.classList.add('different');
    const line = document.createElement('li');
    line.textContent = `${name}: was ${seen.facts.get(name) ?? 'not shown'}, is now ${facts.get(name)}`;
    part('differences').append(line);
  }
}

// left: the milliseconds until figures that end then are too old.
const left = (then) => (then ? Math.min(then[0] - performance.now(), then[1] - Date.now()) : Infinity);

const asked = () => [...main.querySelectorAll('[data-accept]')];
const unanswered = () => asked().some(({ dataset }) => !accepted.has(dataset.accept));
const armed = () => !signing && !changed && !unanswered() && left(ends) > 0
  && document.visibilityState === 'visible' && !document.body.classList.contains('offline');

// paint adds what only this tab knows.
function paint() {
  clearTimeout(arming);
  if (trouble) problem(...trouble);
  const button = part('sign');
  const steps = part('steps');
  if (!steps) return;
  steps.hidden = !signing;
  view.classList.toggle('asked', Boolean(signing));
  view.classList.toggle('unread-news', Boolean(changed));
  view.classList.toggle('unanswered', unanswered());
  for (const at of asked()) {
    const yes = accepted.has(at.dataset.accept);
    if (at.type === 'checkbox') at.checked = yes;
    else at.setAttribute('aria-pressed', yes);
  }
  for (const at of steps.querySelectorAll('[data-step]')) at.hidden = at.dataset.step !== signing?.step;
  part('closed').hidden = signing?.step !== 'hanging';
  part('digest').hidden = !signing?.digest;
  part('digest-text').textContent = signing?.digest ?? '';
  if (!button) return;
  button.disabled = true;
  if (armed()) arming = setTimeout(() => { button.disabled = !armed(); }, ARM);
}

setInterval(() => {
  if (!ends || over) return;
  part('clock').textContent = new Date(Math.max(0, left(ends))).toISOString().slice(15, 19);
  if (left(ends) > 0) return;
  over = true;
  part('over').hidden = false;
  part('hold').hidden = true;
  if (part('sign')) part('sign').disabled = true;
  if (!signing) attempt(load);
}, 250);

async function compute(again = view.dataset.again === 'true') {
  computed = view.dataset.revision;
  await post(`${path}/compute`, { revision: Number(computed), ...(again && { again }) });
}

const step = (name, digest = signing?.digest) => {
  signing = { step: name, digest };
  paint();
};

async function asking(work) {
  const hang = setTimeout(() => { if (signing?.step === 'asking') step('hanging'); }, HANG);
  try {
    await work();
  } finally {
    clearTimeout(hang);
    signing = null;
  }
}

function first() {
  const then = ends;
  const facts = {
    ...view.dataset, chain: document.body.dataset.chain, late: () => left(then) <= 0,
    accepted: asked().map(({ dataset }) => dataset.accept).filter((one) => accepted.has(one)),
  };
  return asking(() => sign(path, wallets, facts, step));
}

const actions = {
  sign: first,
  resign: () => asking(() => resign(path, wallets, step)),
  refresh: () => compute(),
  settings: () => post(`${path}/settings`, {}).then(({ url }) => location.assign(url)),
  both: () => compute(true),
  one: () => compute(false),
  // What was handed out earlier is not meant once there is something newer.
  decline: () => outcome(path, 'declined', view.dataset.stage === 'released' ? recall('release') : null),
  closed: () => { signing = null; return outcome(path, 'signing_disconnected'); },
  submit: () => post(`${path}/submit`, { releaseNonce: recall('release') }),
  continue: () => post(`${path}/continue`, { revision: Number(view.dataset.revision) }),
  acknowledge: () => { changed = seen = null; },
};

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    trouble = [error.problem ?? (error.status === 0 ? 'unreachable' : 'server'), error.message];
    paint();
  }
}

// accept takes a press or a tick of the person, who can take it back.
function accept({ dataset }) {
  if (!accepted.delete(dataset.accept)) accepted.add(dataset.accept);
  paint();
}

main.addEventListener('click', async ({ target, isTrusted }) => {
  if (isTrusted && target.matches('[data-accept]')) accept(target);
  const button = target.closest('[data-action]');
  if (!button || !isTrusted || button.disabled) return;
  button.disabled = true;
  problem();
  trouble = null;
  await attempt(actions[button.dataset.action]);
  await attempt(load);
});
document.addEventListener('visibilitychange', paint);

discover((all) => { wallets = all; });
open(post).then(load).then(() => {
  live({
    // While the wallet thinks, what it was asked about stays in sight.
    changed: (now) => !signing && outdated(now) && attempt(load),
    progress: (stages) => stages.forEach(({ id: name, state }) => {
      main.querySelector(`[data-work="${name}"]`)?.setAttribute('data-state', state);
    }),
    lost: () => [lost(true), paint()],
    // Another process may serve the page now: what the first one computed is gone.
    back: () => { lost(false); computed = ''; return signing || attempt(load); },
    ended: closed,
  });
  if (recall('signed')) attempt(() => deliver(path, step)).then(() => { signing = null; attempt(load); });
}, closed);
