// One signature: find the recorded wallet, take the bytes once, check them, ask
// the wallet, check what it gives back, hand that in. Every step that can fail
// ends with one of the view's explanations of what is known and what is not.
import { post } from './api.js';
import { keep, recall } from './token.js';
import { base58, commitmentOf, digestOf, fromBase64 } from './digest.js';
import { accountsOf, canSign, idOf, onChain, refused, signWith } from './wallets.js';

// Stopped ends a signature; problem names the explanation.
export class Stopped extends Error {
  constructor(problem, more) {
    super(more);
    this.problem = problem;
  }
}

// ready gives the wallet that the account was connected with, by id and name,
// and that account. It asks silently: this page chooses nothing.
async function ready(wallets, facts) {
  const wallet = wallets.find((one) => onChain(one, facts.chain)
    && idOf(one) === facts.walletId && one.name === facts.walletName);
  if (!wallet) throw new Stopped('no-wallet');
  const accounts = await accountsOf(wallet, facts.chain, true).catch(() => []);
  const account = accounts.find(({ address }) => address.toLowerCase() === facts.account);
  if (!account) throw new Stopped('no-account');
  return [wallet, account];
}

// outcome reports how it went without a signature; the server decides what that means.
export async function outcome(path, what) {
  await post(`${path}/outcome`, { releaseNonce: recall('release') ?? undefined, outcome: what });
}

// sign does it. facts is what the page shows; step(name, digest) tells the person.
export async function sign(path, wallets, facts, step) {
  step('wallet');
  const [wallet, account] = await ready(wallets, facts);
  const given = await post(`${path}/handoff`, { revision: facts.revision, commitment: facts.commitment });
  const { releaseNonce } = given;
  keep('release', releaseNonce);

  const bytes = digestOf(fromBase64(given.bytes));
  const digest = base58(bytes);
  if (commitmentOf(bytes) !== facts.commitment) {
    await outcome(path, 'declined');
    throw new Stopped('other-bytes');
  }
  step('asking', digest);
  let answer;
  try {
    answer = await signWith(wallet, account, facts.chain, given.transactionJson);
  } catch (error) {
    const no = refused(error);
    await outcome(path, no ? 'wallet_rejected' : 'wallet_provider_error');
    throw new Stopped(no ? 'refused' : 'wallet-error', error?.message ?? error);
  }
  const executed = !canSign(wallet);
  const signed = executed ? answer.digest : base58(digestOf(fromBase64(answer.bytes)));
  if (signed !== digest) {
    await outcome(path, 'wallet_provider_error');
    throw new Stopped('changed', signed);
  }
  keep('signed', executed ? { releaseNonce, digest } : { releaseNonce, bytes: answer.bytes, signature: answer.signature });
  await deliver(path, step);
}

// deliver hands in what the wallet signed, as often as it takes: a signature
// that exists is not lost because the server was away for a moment.
export async function deliver(path, step) {
  for (let wait = 500; recall('signed'); wait = Math.min(wait * 2, 4000)) {
    step('delivering');
    try {
      await post(`${path}/signed`, recall('signed'));
      keep('signed');
    } catch (error) {
      if (error.status > 0 && error.status < 500) {
        if (error.status !== 401) keep('signed');
        throw error;
      }
      step('undelivered');
      await new Promise((next) => { setTimeout(next, wait); });
    }
  }
}
