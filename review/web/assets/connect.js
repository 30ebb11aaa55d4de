// The connect page: the person picks a wallet, then an account. Nothing is
// picked for them, and there being only one is no reason to pick it silently.
import { id, open } from './token.js';
import { post } from './api.js';
import { accountsOf, discover, fits, icon, idOf, onChain, refused } from './wallets.js';
import { live } from './live.js';
import {
  clone, closed, lost, main, outdated, part, problem, show,
} from './page.js';

const { chain } = document.body.dataset;
const path = `/api/wallet/${id}`;
const short = (text, most) => String(text).slice(0, most);

let view = null;
let wallets = [];
let chosen = null;
let accounts = [];
let waiting = false;

const load = async () => {
  view = await show(`${path}/view`);
  fill();
};
const trouble = (error) => problem('server', error.message);
const report = (wallet, body) => post(`${path}/state`, {
  ...(wallet && { walletName: wallet.name, walletId: idOf(wallet) }), ...body,
}).then(load, trouble);

async function pick(wallet) {
  [chosen, accounts, waiting] = [wallet, [], true];
  await report(wallet, { status: 'connecting' });
  let end = null;
  try {
    const all = await accountsOf(wallet, chain);
    if (chosen !== wallet) return;
    accounts = all;
    if (!all.length) {
      end = { status: 'failed', failureReason: wallet.accounts.length ? 'unsupported_chain' : 'no_accounts_authorized' };
    }
  } catch (error) {
    end = refused(error)
      ? { status: 'rejected', failureReason: 'user_rejected' }
      : { status: 'failed', failureReason: 'wallet_provider_error', failureDetail: short(error?.message ?? error, 400) };
  }
  waiting = false;
  if (end) await report(wallet, end);
  else fill();
}

const walletRow = (wallet) => {
  const row = clone('wallet', { name: short(wallet.name, 80), pick: () => pick(wallet) });
  const picture = icon(wallet);
  if (picture) part('icon', row).src = picture;
  part('pick', row).disabled = waiting;
  part('wait', row).hidden = !(waiting && wallet === chosen);
  return row;
};

const accountRow = (account) => {
  const address = account.address.toLowerCase();
  const row = clone('account', {
    label: short(account.label ?? '', 60),
    use: () => report(chosen, { status: 'connected', account: address, chain }),
  });
  part('address', row).append(...address.match(/^0x....|.{4}/g).map((group) => {
    const piece = document.createElement('span');
    piece.textContent = group;
    return piece;
  }));
  return row;
};

// fill lists what there is, where the view has room for it.
function fill() {
  const list = part('wallets');
  if (!list) return;
  const here = wallets.filter((wallet) => onChain(wallet, chain));
  const elsewhere = wallets.filter((wallet) => fits(wallet) && !onChain(wallet, chain));
  list.replaceChildren(...here.map(walletRow));
  part('none').hidden = here.length > 0;
  part('elsewhere').hidden = !elsewhere.length;
  part('elsewhere-names').textContent = elsewhere.map(({ name }) => short(name, 80)).join(', ');
  part('which').hidden = !accounts.length;
  part('accounts').replaceChildren(...accounts.map(accountRow));
}

main.addEventListener('click', ({ target }) => {
  const action = target.closest('[data-action]')?.dataset.action;
  if (action === 'none') report(null, { status: 'failed', failureReason: 'no_compatible_wallet' });
  if (action === 'continue') post(`${path}/continue`, {}).then(load, trouble);
});

async function start() {
  try {
    await open(post);
    await load();
  } catch (error) {
    closed(error);
    return;
  }
  discover((all) => {
    wallets = all;
    fill();
  });
  live({
    changed: (now) => outdated(view, now) && load(), ended: closed, lost: () => lost(true), back: () => { lost(false); load(); },
  });
}
addEventListener('fresh-link', () => location.reload());
start();
