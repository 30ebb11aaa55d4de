// The page on which a member of a multisig account reads what a file asks them to sign, and signs
// it.
import { id, open } from './token.js';
import { post } from './api.js';
import { commitmentOf, digestOf, fromBase64 } from './digest.js';
import { discover } from './wallets.js';
import { offer, signAs } from './collect.js';
import { save } from './follow.js';
import { stop } from './sign.js';
import { closed, main, part, problem, show } from './page.js';

// Milliseconds for which the facts must be unchanged before signing.
const ARM = 800;
const path = `/api/sign/${id}`;
const { chain } = document.body.dataset;
let wallets = [];
let able = [];
let file = '';
let view = null;
let arming = 0;

const attempt = (work) => work().catch((error) => problem(error.problem ?? (error.status === 0 ? 'unreachable' : 'server'), error.message));

function look() {
  if (!part('own')) return;
  able = offer(wallets, chain);
  part('no-wallet').hidden = able.length;
  const buttons = [...part('own').children];
  buttons.forEach((one) => { one.disabled = true; });
  clearTimeout(arming);
  arming = setTimeout(() => buttons.forEach((one) => { one.disabled = false; }), ARM);
}

async function load() {
  view = await show(`${path}/view`, undefined, { file });
  look();
}

const step = (name, digest = '') => {
  part('steps').hidden = !name;
  for (const at of part('steps').querySelectorAll('[data-step]')) at.hidden = at.dataset.step !== name;
  part('digest').hidden = !digest;
  part('digest-text').textContent = digest;
};

async function sign({ wallet }) {
  try {
    const given = await post(`${path}/bytes`, { file });
    if (commitmentOf(digestOf(fromBase64(given.bytes))) !== view.dataset.commitment) stop('other-bytes');
    const signature = await signAs(able[wallet], chain, given, step);
    await post(`${path}/check`, { file, signature });
    part('own').hidden = true;
    part('signed').hidden = false;
    part('signature').value = signature;
    part('copy').dataset.copy = signature;
    part('signed').scrollIntoView({ block: 'nearest' });
  } finally {
    step('');
  }
}

const actions = {
  choose: async () => part('file').click(),
  another: () => { file = ''; return load(); },
  cosign: sign,
  save: async () => save(new Blob([`${part('signature').value}\n`], { type: 'text/plain' }), 'signature.txt'),
};

main.addEventListener('click', async ({ target, isTrusted }) => {
  const button = target.closest('[data-action]');
  if (!button || !isTrusted || button.disabled) return;
  problem();
  button.disabled = true;
  await attempt(() => actions[button.dataset.action](button.dataset));
  button.disabled = false;
});
main.addEventListener('change', ({ target, isTrusted }) => {
  if (!isTrusted || target !== part('file')) return;
  attempt(async () => {
    file = await target.files[0]?.text() ?? '';
    await load().catch((error) => { file = ''; throw error; });
  });
  target.value = '';
});

discover((all) => {
  wallets = all;
  look();
});
open(post).then(load).catch(closed);
