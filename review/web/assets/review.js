// The review page: it shows what the server says, signs what is shown and
// nothing else, and never lets figures change under the person's finger.
import { id, open, recall } from './token.js';
import { post } from './api.js';
import { discover } from './wallets.js';
import { deliver, outcome, sign } from './sign.js';
import { live } from './live.js';
import {
  closed, lost, main, outdated, part, problem, say, show,
} from './page.js';

const ARM = 800; // ms that the facts must have stood still
const HANG = 60000; // ms after which a silent wallet is worth a word
const path = `/api/review/${id}`;

let wallets = [];
let view = null;
let seen = null; // {commitment, facts} of the figures that the person last accepted or first saw
let changed = false; // there are newer figures that the person has not acknowledged
let signing = null; // {step, digest, since}
let trouble = null; // [problem, more] that outlives the next view
let arming = 0;
let deadline = Infinity;
let computed = -1;

const factsOf = () => new Map([...main.querySelectorAll('[data-fact]')].map((at) => [at.dataset.fact, at.textContent.trim()]));

// load reads the present state. A new transaction is never slipped in: what
// differs is marked, and signing waits for the person's word.
async function load() {
  view = await show(`${path}/view`);
  const { commitment, expiresIn, next, stage } = view.dataset;
  deadline = commitment ? performance.now() + Number(expiresIn) : Infinity;
  if (commitment) {
    const facts = factsOf();
    changed = changed || (seen !== null && seen.commitment !== commitment);
    if (changed) differences(facts);
    else seen = { commitment, facts };
  }
  paint();
  if (trouble) problem(...trouble);
  if (next === 'compute' && view.dataset.access === 'active' && computed !== Number(view.dataset.revision)) compute();
  if (stage === 'success' || stage === 'failure') signing = null;
}

function differences(facts) {
  part('changed').hidden = false;
  const list = part('differences');
  for (const at of main.querySelectorAll('[data-fact]')) {
    const before = seen.facts.get(at.dataset.fact);
    if (before === facts.get(at.dataset.fact)) continue;
    at.classList.add('different');
    const line = document.createElement('li');
    line.textContent = `${at.dataset.fact}: was ${before ?? 'not shown'}, is now ${facts.get(at.dataset.fact)}`;
    list.append(line);
  }
}

// paint puts what only this tab knows over the server's view, and arms the
// button anew: every change of what is shown starts the wait again.
function paint() {
  clearTimeout(arming);
  const button = part('sign');
  const steps = part('steps');
  if (steps) {
    steps.hidden = !signing;
    for (const at of steps.querySelectorAll('[data-step]')) at.hidden = at.dataset.step !== signing?.step;
    part('digest').hidden = !signing?.digest;
    part('digest-text').textContent = signing?.digest ?? '';
    part('closed').hidden = signing?.step !== 'hanging';
  }
  if (!button) return;
  button.disabled = true;
  button.hidden = Boolean(signing);
  part('arming').hidden = Boolean(signing);
  const may = () => !signing && !changed && performance.now() < deadline
    && document.visibilityState === 'visible' && !document.body.classList.contains('offline');
  if (may()) arming = setTimeout(() => { button.disabled = !may(); }, ARM);
}

function tick() {
  const left = deadline - performance.now();
  const clock = part('clock');
  if (!clock || left === Infinity) return;
  const seconds = Math.max(0, Math.floor(left / 1000));
  clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  if (left > 0) return;
  part('over').hidden = false;
  part('hold').hidden = true;
  deadline = Infinity;
  if (part('sign')) part('sign').disabled = true;
  clearTimeout(arming);
  if (!signing) load().catch(failed);
}
setInterval(tick, 250);

function failed(error) {
  trouble = [error.problem ?? (error.status === 0 ? 'unreachable' : 'server'), error.message];
  problem(...trouble);
}

async function compute() {
  computed = Number(view.dataset.revision);
  await post(`${path}/compute`, { revision: computed });
}

const step = (name, digest = signing?.digest) => {
  signing = { step: name, digest };
  paint();
  const at = main.querySelector(`[data-step="${name}"]`);
  if (at) say(at.textContent);
};

async function ask() {
  const { revision, commitment, walletId, walletName, account } = view.dataset;
  const hang = setTimeout(() => { if (signing?.step === 'asking') step('hanging'); }, HANG);
  try {
    await sign(path, wallets, {
      revision: Number(revision), commitment, walletId, walletName, account, chain: document.body.dataset.chain,
    }, step);
  } finally {
    clearTimeout(hang);
    signing = null;
  }
}

const actions = {
  sign: ask,
  refresh: compute,
  decline: () => outcome(path, 'declined'),
  closed: () => outcome(path, 'signing_disconnected'),
  submit: () => post(`${path}/submit`, { releaseNonce: recall('release') }),
  continue: () => post(`${path}/continue`, { revision: Number(view.dataset.revision) }),
  acknowledge: async () => {
    changed = false;
    seen = null;
  },
};

main.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-action]');
  if (!button || !event.isTrusted || button.disabled) return;
  button.disabled = true;
  trouble = null;
  problem('');
  try {
    await actions[button.dataset.action]();
    await load();
  } catch (error) {
    failed(error);
    await load().catch(failed);
  }
});

document.addEventListener('visibilitychange', paint);
addEventListener('fresh-link', () => location.reload());

async function start() {
  discover((all) => { wallets = all; });
  try {
    await open(post);
    await load();
  } catch (error) {
    closed(error);
    return;
  }
  live({
    changed: (now) => outdated(view, now) && load().catch(failed),
    progress: (stages) => stages.forEach(({ id: name, state }) => {
      const at = main.querySelector(`[data-work="${name}"]`);
      if (at) at.dataset.state = state;
    }),
    lost: () => { lost(true); paint(); },
    back: () => { lost(false); load().catch(failed); },
    ended: closed,
  });
  if (recall('signed')) deliver(path, step).then(() => { signing = null; }).then(load).catch(failed);
}
start();
