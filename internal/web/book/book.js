// The page of the address book. Typed text is kept while another tab changes the book. Words from
// the server become text nodes.
import { id, keep, open, recall } from './token.js';
import { post } from './api.js';
import { follow, trouble } from './follow.js';
import { closed, main, part, problem, say, show } from './page.js';
import { discover, messenger, refused, signMessage } from './wallets.js';

const MOST = 20; // names per message
const DIGITS = 64; // in a Sui address
const { chain } = document.body.dataset;
const path = `/api/book/${id}`;
// The search survives a reload of the tab.
let asked = recall('asked') ?? { text: '', chain: '', from: 0 };
const typed = new Set(); // forms with unsaved text
let told = null; // [kind, text]
let working = false;
let wallets = [];

const busy = () => [...typed].some((form) => form.isConnected);

function tell(kind, words) {
  told = [kind, words];
  const line = part(kind)?.content.firstElementChild.cloneNode(true);
  if (!line) return;
  line.textContent = words;
  main.querySelector('[data-answer="book"]').replaceChildren(line);
}

async function load(force) {
  if (force) typed.clear();
  if (busy() || !await show(`${path}/view`, busy, asked)) {
    part('stale').hidden = false;
    return;
  }
  if (told) tell(...told);
}

// wish runs one request at a time, and shows its result where everyone can see it.
async function wish(to, body, form) {
  if (working) return;
  working = true;
  try {
    const { says } = await post(`${path}/${to}`, body).finally(() => { working = false; });
    typed.delete(form);
    const fold = form?.closest('details');
    if (fold) fold.open = false;
    tell('said', says);
    await load();
    main.querySelector('[data-answer="book"]').scrollIntoView({ block: 'nearest' });
  } catch ({ message }) {
    tell('refused', message);
    main.querySelector('[data-answer="book"]').scrollIntoView({ block: 'nearest' });
  }
}

// confirm lets the wallet sign the complete names.
async function confirm(ids) {
  if (working) return;
  const { account, ...key } = main.firstChild.dataset;
  const wallet = messenger(wallets, chain, key);
  problem(wallet ? '' : 'no-wallet');
  if (!wallet) return;
  working = true;
  let done = () => {};
  try {
    const { message } = await post(`${path}/challenge`, { ids });
    const signature = await signMessage(wallet, account, chain, message).catch((error) => {
      done = () => (refused(error) ? problem('unsigned') : problem('wallet', error?.message ?? error));
    });
    working = false;
    if (signature) await wish('confirm', { message, signature });
  } catch (error) {
    working = false;
    done = () => trouble(error);
  }
  done();
}
const unconfirmed = () => [...main.querySelectorAll('[data-action="confirm"]:not([data-apart])')].map(({ dataset }) => dataset.id).filter(Boolean).slice(0, MOST);

const look = (to) => {
  asked = to;
  keep('asked', asked);
  told = null;
  return load(true);
};
const value = (form, name) => form.elements[name].value.trim();
const entry = (form) => ({ title: value(form, 'title'), address: value(form, 'address'), chain: form.elements.chain.value });

// whole returns what is missing in a Sui address. Other chains have other formats.
function whole(form) {
  const { address, chain: of } = form.elements;
  const digits = address.value.trim().replace(/^0x/i, '');
  const short = of.value === 'Sui' && /^[0-9a-f]*$/i.test(digits) && digits.length !== DIGITS;
  const line = part('short', form);
  line.hidden = !short;
  line.lastElementChild.textContent = short ? `Enter all ${DIGITS} characters. You entered ${digits.length}.` : '';
  address.ariaInvalid = short;
  if (short) address.focus();
  return !short;
}

const send = {
  find: (form) => look({ text: value(form, 'text'), chain: form.elements.chain?.value ?? '', from: 0 }).catch(trouble),
  add: (form) => whole(form) && wish('add', entry(form), form),
  correct: (form) => {
    if (!whole(form)) return null;
    const { id: which, title, address, chain } = form.dataset;
    return wish('correct', { id: which, ...entry(form), was: { title, address, chain } }, form);
  },
  own: (form) => wish('own', { address: form.dataset.address, title: value(form, 'title') }, form),
};

const act = {
  continue: () => post(`${path}/continue`, {}).then(() => load(true)).catch(trouble),
  reload: () => load(true).catch(trouble),
  all: () => look({ text: '', chain: '', from: 0 }).catch(trouble),
  page: ({ from }) => look({ ...asked, from: Number(from) }).catch(trouble),
  confirm: ({ id: which }) => confirm(which ? [which] : unconfirmed()),
  delete: ({ id: which }) => wish('delete', { id: which }),
  forget: ({ name }) => wish('forget', { name }),
  restore: ({ id: which }) => wish('restore', { id: which }),
  reading: ({ may }) => wish('reading', { may: may === 'true' }),
};

main.addEventListener('input', ({ target }) => {
  const form = target.closest('[data-form]');
  if (form && form.dataset.form !== 'find') typed.add(form);
});
main.addEventListener('submit', (event) => {
  event.preventDefault();
  send[event.target.dataset.form](event.target);
});
main.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-action]');
  if (button && !button.disabled) act[button.dataset.action]?.(button.dataset);
});
addEventListener('beforeunload', (event) => busy() && event.preventDefault());

discover((all) => { wallets = all; });
open(post).then(() => load()).then(() => {
  say('Address book');
  follow(path, load);
}, closed);
