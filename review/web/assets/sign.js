// One signature: find the recorded wallet, get the bytes once, check them and their age, ask the
// wallet, check its result, and submit that.
import { post } from './api.js';
import { keep, recall } from './token.js';
import { base58, commitmentOf, digestOf, fromBase64 } from './digest.js';
import { accountsOf, canSign, idOf, onChain, refused, signWith } from './wallets.js';

export const stop = (problem, more = '') => { throw Object.assign(new Error(more), { problem }); };

// ready returns the recorded wallet and its account without a prompt.
async function ready(wallets, facts) {
  const wallet = wallets.find((one) => onChain(one, facts.chain)
    && idOf(one) === facts.walletId && one.name === facts.walletName) ?? stop('no-wallet');
  const accounts = await accountsOf(wallet, facts.chain, true).catch(() => []);
  return [wallet, accounts.find(({ address }) => address.toLowerCase() === facts.account) ?? stop('no-account')];
}

// lacks returns the problem of a wallet that cannot be asked, or ''.
export const lacks = (wallets, facts) => ready(wallets, facts).then(() => '', ({ problem }) => problem);

// pageOf returns the page of an API path. The data of a signature is stored under it.
const pageOf = (path) => path.slice('/api/'.length);

export const outcome = (path, what, nonce = recall('release', pageOf(path))) => post(`${path}/outcome`, { releaseNonce: nonce ?? undefined, outcome: what });

// The bytes stay only in this tab's memory until they are signed, so that the wallet can be asked
// again.
let held = null; // {facts, given, digest}
export const holds = (commitment) => Boolean(held) && held.facts.commitment === commitment;

export async function sign(path, wallets, facts, step) {
  step('wallet');
  const [wallet, account] = await ready(wallets, facts);
  const given = await take(path, facts);
  held = { facts, given, digest: base58(digestOf(fromBase64(given.bytes))) };
  await ask(path, wallet, account, step);
}

// take gets the bytes, once. If they are not those on the page or are too old, it declines them.
export async function take(path, facts) {
  const { commitment, accepted } = facts;
  const given = await post(`${path}/handoff`, { revision: Number(facts.revision), commitment, accepted });
  keep('release', given.releaseNonce, pageOf(path));
  if (commitmentOf(digestOf(fromBase64(given.bytes))) !== commitment || facts.late()) {
    await outcome(path, 'declined');
    stop(facts.late() ? 'late' : 'other-bytes');
  }
  return given;
}

// resign asks the wallet again to sign the bytes that this tab has.
export async function resign(path, wallets, step) {
  step('wallet');
  const [wallet, account] = await ready(wallets, held.facts);
  await ask(path, wallet, account, step);
}

async function ask(path, wallet, account, step) {
  const { facts, given: { releaseNonce, transactionJson }, digest } = held;
  step('asking', digest);
  const signs = canSign(wallet);
  let answer;
  let signed;
  try {
    answer = await signWith(wallet, account, facts.chain, transactionJson);
    signed = signs ? base58(digestOf(fromBase64(answer.bytes))) : answer.digest;
  } catch (error) {
    const no = refused(error);
    await outcome(path, no ? 'wallet_rejected' : 'wallet_provider_error');
    stop(no ? 'refused' : 'wallet-error', error?.message ?? error);
  }
  const { bytes, signature } = answer;
  if (signed !== digest) {
    held = null;
    await outcome(path, 'wallet_changed_transaction');
    stop('changed', signed);
  }
  keep('signed', { releaseNonce, ...(signs ? { bytes, signature } : { digest }) }, pageOf(path));
  await deliver(path, step);
}

// deliver submits the wallet's signature, and repeats that until it succeeds.
export async function deliver(path, step) {
  const of = pageOf(path);
  for (let wait = 500; recall('signed', of); wait = Math.min(wait * 2, 4000)) {
    step('delivering');
    try {
      await post(`${path}/signed`, recall('signed', of));
      keep('signed', null, of);
      held = null;
    } catch (error) {
      if (error.status > 0 && error.status < 500) {
        if (error.status !== 401) keep('signed', null, of);
        // The headline of the page says it, also after a reload.
        if (error.kind === 'signer_mismatch') return;
        throw error;
      }
      step('undelivered');
      await new Promise((next) => { setTimeout(next, wait); });
    }
  }
}
