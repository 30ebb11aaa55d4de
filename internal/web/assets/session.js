// The session of this browser: how it begins without a link, and how it ends.
import { post } from './api.js';
import { begin } from './token.js';
import { discover, messenger, signMessage } from './wallets.js';

const GRACE = 1500; // ms for wallets to announce themselves

// found waits for the wallet with a key.
const found = (chain, key) => new Promise((done) => {
  setTimeout(done, GRACE);
  discover((wallets) => {
    const wallet = messenger(wallets, chain, key);
    if (wallet) done(wallet);
  });
});

// unlock opens all pages in this browser if the wallet of the account in use signs a message.
export async function unlock() {
  const { chain } = document.body.dataset;
  const { message, account, ...key } = await post('/api/session/challenge', {});
  const wallet = await found(chain, key);
  if (!wallet) throw new Error('The wallet of the account in use is not in this browser.');
  const signature = await signMessage(wallet, account, chain, message);
  begin((await post('/api/session/begin', { message, signature })).session);
  location.reload();
}

// end locks all pages in this browser.
export const end = () => post('/api/session/end', {}).then(() => [begin(null), location.reload()]);

// stop pauses signing everywhere. Every page may call it.
export const stop = () => post('/api/freeze', {});

const gone = document.getElementById('gone');
const say = (text) => { [gone.textContent, gone.hidden] = [text, false]; };
const acts = { 'stop-all': stop, unlock, lock: end };
document.addEventListener('click', ({ target }) => {
  const act = acts[target.closest('[data-action]')?.dataset.action];
  if (act) act().catch(({ message }) => say(message));
});
