// Collects the signatures of the members of a multisig account: saves the file, and adds
// signatures.
import { post } from './api.js';
import { base58, commitmentOf, digestOf, fromBase64 } from './digest.js';
import { accountsOf, canSign, onChain, refused, signWith } from './wallets.js';
import { save } from './follow.js';
import { main, part, plain } from './page.js';
import { stop, take } from './sign.js';

const missing = () => [...main.querySelectorAll('[data-member]:not(.done)')].map(({ dataset }) => dataset.member);
const saveFile = ({ file }) => save(new Blob([file], { type: 'application/json' }), 'to-sign.json');

// release gets the bytes, as for a wallet, and saves them for the members.
const release = async (path, facts) => saveFile(await take(path, facts));
const again = async (path) => saveFile(await post(`${path}/export`, {}));

// offer shows a button for each wallet that could have a member's account.
export function offer(wallets, chain) {
  const own = part('own');
  if (!own) return;
  const able = missing().length ? wallets.filter((one) => onChain(one, chain) && canSign(one)) : [];
  own.hidden = !able.length;
  own.replaceChildren(...able.map((wallet) => Object.assign(document.createElement('button'), {
    className: 'second', textContent: `Sign with ${plain(wallet.name)}`,
  })));
  [...own.children].forEach((button, i) => { button.dataset.action = 'cosign'; button.dataset.wallet = i; });
  return able;
}

// signAs asks a member's wallet to sign exactly these bytes, and checks that it signed no others.
export async function signAs(wallet, chain, { transactionJson, bytes }, step) {
  step('wallet');
  const wanted = missing();
  const accounts = await accountsOf(wallet, chain).catch(() => []);
  const account = accounts.find(({ address }) => wanted.includes(address.toLowerCase())) ?? stop('no-member', wallet.name);
  const digest = base58(digestOf(fromBase64(bytes)));
  step('asking', digest);
  const answer = await signWith(wallet, account, chain, transactionJson).catch((error) => (refused(error)
    ? stop('declined') : stop('wallet-failed', error?.message ?? error)));
  const signed = base58(digestOf(fromBase64(answer.bytes)));
  if (signed !== digest) stop('changed', signed);
  return answer.signature;
}

const add = (path, signature) => post(`${path}/collect`, { signature });

// cosign adds the signature of a member whose wallet is in this browser.
async function cosign(path, wallet, step) {
  const given = await post(`${path}/export`, {});
  if (commitmentOf(digestOf(fromBase64(given.bytes))) !== main.firstElementChild.dataset.collecting) stop('other-bytes');
  await add(path, await signAs(wallet, document.body.dataset.chain, given, step));
}

// collecting adds the functions for a multisig account to the page of a review.
export function collecting(path, { first, asking, step }) {
  let signers = []; // wallets that could sign for a member
  let typed = ''; // a member's signature, pasted or from a file

  // The page may be redrawn while the dialog is open, so the element itself has the listener.
  const chosen = async ({ target, isTrusted }) => {
    if (!isTrusted) return;
    typed = await target.files[0]?.text() ?? '';
    if (part('signature')) part('signature').value = typed;
  };
  main.addEventListener('input', ({ target }) => {
    if (target === part('signature')) typed = target.value;
  });
  main.addEventListener('submit', (event) => event.preventDefault());
  return {
    look(wallets) {
      if (part('signature')) {
        part('signature').value = typed;
        part('signature-file').onchange = chosen;
      }
      signers = offer(wallets, document.body.dataset.chain);
    },
    actions: {
      collect: () => first((facts) => release(path, facts)),
      export: () => again(path),
      cosign: ({ dataset: { wallet } }) => asking(() => cosign(path, signers[wallet], step)),
      add: async () => {
        await add(path, typed.replace(/\s/g, ''));
        typed = '';
      },
      choose: () => part('signature-file').click(),
    },
  };
}
