// The connect page: the user chooses a wallet, then an account. Nothing is chosen for them, even if
// there is only one choice.
import { id, open } from './token.js';
import { post } from './api.js';
import { accountsOf, discover, fits, idOf, messenger, onChain, refused, signMessage } from './wallets.js';
import { follow, trouble } from './follow.js';
import { closed, main, part, plain, problem, show } from './page.js';

const { chain } = document.body.dataset;
const path = `/api/wallet/${id}`;
// icon returns a picture only if it contains its data. Loading it from elsewhere would reveal the
// user.
const icon = (wallet) => (/^data:image\/[a-z+]+[;,]/.test(wallet.icon) ? wallet.icon : '');
const short = (text) => plain(text).slice(0, 80);

let wallets = [];
let chosen = null;
let accounts = [];
let waiting = false;
let proving = false;

const load = async () => {
  await show(`${path}/view`);
  fill();
};
const send = (body, to = 'state') => post(`${path}/${to}`, body).then(load).catch(trouble);
const report = (body) => send({ walletName: chosen.name, walletId: idOf(chosen), ...body });

async function pick(wallet) {
  [chosen, accounts, waiting] = [wallet, [], true];
  await report({ status: 'connecting' });
  let failureReason;
  let failureDetail;
  try {
    accounts = await accountsOf(wallet, chain);
    if (!accounts.length) failureReason = wallet.accounts.length ? 'unsupported_chain' : 'no_accounts_authorized';
  } catch (error) {
    failureReason = refused(error) ? 'user_rejected' : 'wallet_provider_error';
    failureDetail = String(error?.message ?? error).slice(0, 400);
  }
  waiting = false;
  if (!failureReason) fill();
  else report({ status: failureReason === 'user_rejected' ? 'rejected' : 'failed', failureReason, failureDetail });
}

const rowOf = (name) => part(name).content.firstElementChild.cloneNode(true);

// mark shows the wallet's own picture, or the first letter of its name.
function mark(wallet, row) {
  const own = part('icon', row) && icon(wallet);
  if (own) part('icon', row).src = own;
  else part('icon', row)?.remove();
  part('letter', row).hidden = own;
  part('letter', row).textContent = [...short(wallet.name).trim()][0]?.toUpperCase() ?? '?';
}

// offers describes what is known about a wallet before it is asked.
function offers({ name, accounts: { length: n } }) {
  const before = [...main.querySelectorAll('[data-part="known"] .what > strong > bdi')];
  if (before.some(({ textContent }) => textContent === name)) return 'Add another account';
  return n ? `${n} account${n === 1 ? '' : 's'}` : '';
}

function walletRow(wallet) {
  const row = rowOf('wallet');
  const button = part('pick', row);
  button.onclick = () => pick(wallet);
  button.disabled = waiting;
  button.ariaPressed = wallet === chosen;
  part('name', row).textContent = short(wallet.name);
  mark(wallet, row);
  part('wait', row).hidden = !waiting || wallet !== chosen;
  part('offers', row).textContent = part('wait', row).hidden ? offers(wallet) : '';
  return row;
}

function farRow(wallet) {
  const row = rowOf('far');
  part('name', row).textContent = short(wallet.name);
  mark(wallet, row);
  return row;
}

function accountRow({ address, label }) {
  const account = address.toLowerCase();
  const row = rowOf('account');
  part('label', row).textContent = short(label);
  part('use', row).onclick = () => report({ status: 'connected', account, chain });
  for (const group of account.match(/^0x....|.{4}/g)) {
    part('address', row).append(Object.assign(document.createElement('span'), { textContent: group }), document.createElement('wbr'));
  }
  return row;
}

async function prove() {
  const { account, ...key } = main.firstChild.dataset;
  const wallet = messenger(wallets, chain, key);
  problem();
  proving = true;
  fill();
  let done = load;
  try {
    const { message } = await post(`${path}/challenge`, {});
    const signature = await signMessage(wallet, account, chain, message).catch((error) => {
      done = () => (refused(error) ? problem('unsigned') : problem('wallet', error?.message ?? error));
    });
    if (signature) await post(`${path}/state`, { status: 'connected', proof: { message, signature } });
  } catch (error) {
    done = () => trouble(error);
  }
  proving = false;
  fill();
  await done();
}

function fill() {
  if (part('proof')) {
    const here = messenger(wallets, chain, main.firstChild.dataset);
    part('proof').hidden = !here;
    part('no-proof').hidden = here;
    part('asking').hidden = !proving;
    main.querySelector('[data-action="prove"]').disabled = proving;
  }
  if (!part('wallets')) return;
  const here = wallets.filter((wallet) => onChain(wallet, chain));
  const far = wallets.filter((wallet) => fits(wallet) && !here.includes(wallet));
  part('wallets').replaceChildren(...here.map(walletRow));
  part('none').hidden = here.length;
  part('elsewhere').replaceChildren(...far.map(farRow));
  part('which').hidden = !accounts.length;
  part('accounts').replaceChildren(...accounts.map(accountRow));
}

main.addEventListener('click', ({ target }) => {
  const { action, account } = target.closest('[data-action]')?.dataset ?? {};
  if (action === 'none') send({ status: 'failed', failureReason: 'no_compatible_wallet' });
  if (action === 'continue') send({}, action);
  if (action === 'use' || action === 'forget') send({ account }, action);
  if (action === 'prove') prove();
});

main.addEventListener('submit', (event) => {
  event.preventDefault();
  const { account, members, threshold } = event.target.elements;
  problem();
  post(`${path}/multisig`, { account: account.value, members: members.value, threshold: Number(threshold.value) })
    .then(load).catch(({ message }) => problem('multisig', message));
});

open(post).then(load).then(() => {
  discover((all) => {
    wallets = all;
    fill();
  });
  follow(path, load);
}, closed);
