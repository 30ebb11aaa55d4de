// The settings page. A change that allows more or replaces something is shown with old and new
// values, and made only after the user confirms it. Words from the server become text nodes.
import { id, open } from './token.js';
import { post, request } from './api.js';
import { follow, save, trouble } from './follow.js';
import { closed, main, part, say, show } from './page.js';
import { discover, messenger, signMessage } from './wallets.js';

const path = `/api/settings/${id}`;
const MIB = 1024 * 1024;
const MOST = 8; // MiB of a backup to import; a larger one is compressed
const MOST_TEXT = 64; // MiB of its text
const busyForms = new Set();
let wallets = [];
const told = {}; // last message of each section, which survives a new view
const FRESH = 10000; // ms for which it does

const clone = (name) => part(name).content.firstElementChild.cloneNode(true);
const answer = (name) => main.querySelector(`[data-answer="${name}"]`);
const busy = () => busyForms.size > 0 || main.querySelector('.asks');

const TABS = ['limits', 'network', 'access', 'projects', 'data'];
let tab = TABS.find((name) => location.hash === `#${name}`) ?? TABS[0];

// openTab shows one panel. The address names it, so that a reload or a link opens it.
function openTab(view) {
  if (!view) return view;
  for (const name of TABS) {
    const at = document.getElementById(`tab-${name}`);
    at.ariaSelected = name === tab;
    at.tabIndex = name === tab ? 0 : -1;
    document.getElementById(`panel-${name}`).hidden = name !== tab;
  }
  return view;
}

function choose(name, focus) {
  if (!TABS.includes(name)) return;
  tab = name;
  openTab(main.firstElementChild);
  history.replaceState(null, '', `#${name}`);
  if (focus) document.getElementById(`tab-${name}`).focus();
}
// reveal opens the tab and the folds around an element.
function reveal(at) {
  choose(at.closest('[role="tabpanel"]').id.slice('panel-'.length));
  for (let fold = at.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
}
addEventListener('hashchange', () => choose(location.hash.slice(1)));

// load never discards what the user has not saved.
async function load(force) {
  if (force) busyForms.clear();
  // The user may begin to type while the view is loading.
  const late = force ? () => busyForms.size > 0 : busy;
  if (late() || !await show(`${path}/view`, late).then(openTab)) {
    // A new token that is still shown does not count as unsaved.
    part('stale').hidden = !busyForms.size && [...main.querySelectorAll('.asks')].every((box) => part('token', box));
    return;
  }
  for (const [name, [kind, words, at]] of Object.entries(told)) if (Date.now() - at < FRESH) put(name, kind, words);
}

function put(name, kind, words) {
  const line = clone(kind);
  line.textContent = words;
  const place = answer(name);
  place?.replaceChildren(line);
  const fold = place?.closest('details');
  if (fold) fold.open = true;
}

// tell shows a message where the user acted. Its role makes screen readers announce it.
function tell(name, kind, words) {
  told[name] = [kind, words, Date.now()];
  put(name, kind, words);
  answer(name)?.scrollIntoView({ block: 'nearest' });
}

function table(changes) {
  const at = clone('changes');
  for (const change of changes) {
    const row = clone('change');
    const [name, old, now] = row.children;
    name.textContent = change.name;
    old.textContent = change.old;
    now.textContent = change.new;
    old.dataset.label = 'Old';
    now.dataset.label = 'New';
    row.classList.toggle('looser', change.looser);
    at.tBodies[0].append(row);
  }
  return at;
}

function ask(name, box, yes) {
  const place = answer(name);
  delete told[name];
  place.replaceChildren(box);
  part('yes', box).onclick = yes;
  part('no', box).onclick = () => {
    busyForms.delete(name);
    tell(name, 'said', 'Nothing was changed.');
    load().catch(trouble);
  };
  place.focus();
}

// working prevents a form from being sent twice.
async function working(name, job) {
  const place = answer(name);
  if (place.ariaBusy === 'true') return;
  place.ariaBusy = 'true';
  try {
    await job();
  } catch (error) {
    tell(name, 'refused', error.message);
  } finally {
    place.ariaBusy = 'false';
  }
}

// wish requests a change, and repeats the request with the user's confirmation if that is needed.
const wish = (name, to, body) => working(name, async () => {
  tell(name, 'said', 'Working…');
  const out = await post(new URL(to, `${location.origin}${path}/`).pathname, body);
  if (out.confirm) {
    const box = clone('asks');
    part('says', box).textContent = out.says;
    part('table', box).append(table(out.changes));
    ask(name, box, () => wish(name, to, { ...body, confirm: out.confirm }));
    return;
  }
  busyForms.delete(name);
  answer(name).replaceChildren();
  delete told[name];
  await load();
  tell(name, 'said', out.says);
  if (document.activeElement === document.body) answer(name)?.focus({ preventScroll: true });
});

// lines returns the limits in one column of the table.
const lines = (form, column) => [...form.querySelectorAll('[data-row]')].map((row) => ({
  coin: row.dataset.coin || row.querySelector('[name="coin"]').value || row.querySelector('[name="type"]').value.trim(),
  most: row.querySelector(`[name="${column}"]`).value.trim(),
})).filter(({ most }) => most);
const edit = (row) => {
  row.classList.add('editing');
  row.querySelector('input, select').focus();
};

// preset fills in the table. It takes effect when the user saves.
const preset = ({ preset: name }, button) => working('limits', async () => {
  const { limits, says } = await post(`${path}/preset`, { name });
  const all = [...main.querySelectorAll('[data-row]')];
  if (!limits.length) all.forEach((at) => at.remove());
  for (const { coin, each, day } of limits) {
    let row = all.find((at) => at.dataset.coin === coin);
    if (!row) {
      row = main.querySelector(`[data-row-of="${coin}"]`).content.firstElementChild.cloneNode(true);
      part('rows').append(row);
    }
    row.classList.add('editing');
    row.querySelector('[name="each"]').value = each;
    row.querySelector('[name="day"]').value = day;
  }
  for (const at of main.querySelectorAll('[data-preset]')) at.ariaPressed = at.dataset.preset === name;
  touched(button);
  if (says) tell('limits', 'said', says);
});
const checked = (form, name) => [...form.querySelectorAll(`[name="${name}"]:checked`)].map((box) => box.value);

// make shows the new token once. It is not stored.
const make = (form) => working('token', async () => {
  const scope = form.elements.scope.value;
  const socket = ['ide', 'ws-backend'].includes(scope);
  const backend = scope === 'agent-backend';
  const out = await post(`${path}/token`, { name: form.elements.name.value, scope,
    client: socket || scope === 'ai-client' ? '' : form.elements.client.value,
    acts: backend && form.elements.acts.checked || scope === 'ws-backend' && form.elements.writes.checked,
    reads: backend && form.elements.reads.checked,
    projects: socket ? checked(form, 'project') : [],
    origin: socket ? form.elements.origin.value : '' });
  const box = clone('secret');
  part('says', box).textContent = out.says;
  part('token', box).textContent = part('copy', box).dataset.copy = out.token;
  delete told.token;
  answer('token').replaceChildren(box);
  form.reset();
  fit(form);
  form.hidden = true;
  busyForms.delete('token');
  part('stale').hidden = busyForms.size === 0;
  part('yes', box).onclick = () => {
    form.hidden = false;
    answer('token').replaceChildren();
    load().catch(trouble);
  };
  answer('token').focus();
});

// fit shows the fields for tokens of the chosen kind.
const fit = (form) => {
  for (const at of form.querySelectorAll('[data-for]')) at.hidden = !at.dataset.for.split(' ').includes(form.elements.scope.value);
};

const send = {
  token: make,
  window: (form) => wish('window', 'window', { projects: checked(form, 'project') }),
  sharing: (form) => wish('sharing', 'sharing', { on: true, url: form.elements.url.value,
    credentials: form.elements.credentials.value, profile: form.elements.profile.value }),
  remote: (form) => wish('remote', 'admit', { key: form.elements.key.value, code: form.elements.code.value,
    name: form.elements.name.value, scope: form.elements.scope.value, until: form.elements.until.value }),
  project: (form) => wish('project', 'project', { path: form.elements.path.value, key: form.elements.key.value, mode: form.elements.mode.value }),
  limits: (form) => wish('limits', 'limits', {
    perTransaction: lines(form, 'each'),
    perDay: lines(form, 'day'),
    everyProtocol: form.elements.every.checked,
    protocols: form.elements.every.checked ? [] : checked(form, 'protocol'),
    everyRecipient: !form.elements.only.checked,
    recipients: form.elements.recipient.value.split('\n'),
    provedOnly: form.elements.proved.checked,
    requests: Number(form.elements.requests.value),
  }),
  reset: (form) => wish('reset', 'reset', { typed: form.elements.typed.value }),
};

// fetchCopy saves a backup only if it can be unpacked completely.
async function fetchCopy() {
  tell('export', 'said', 'Saving the backup…');
  const copy = await (await request(`${path}/export`, {})).blob();
  await copy.stream().pipeThrough(new DecompressionStream('gzip')).pipeTo(new WritableStream())
    .catch(() => { throw new Error('The backup was cut off and not saved. Try again.'); });
  save(copy, `${new Date().toISOString().slice(0, 10)}.json.gz`);
  tell('export', 'said', `Your browser has the backup: ${Math.ceil(copy.size / 1024)} KiB.`);
}

// sign lets the wallet of the account in use sign the last entry of the record.
const sign = ({ account, ...key }) => working('record', async () => {
  const { chain } = document.body.dataset;
  const wallet = messenger(wallets, chain, key);
  if (!wallet) throw new Error('Your connected wallet is not in this browser, or cannot sign messages. Open this page in the browser that has it.');
  tell('record', 'said', 'Confirm in your wallet…');
  const { message } = await post(`${path}/statement`, {});
  const signature = await signMessage(wallet, account, chain, message);
  const { says } = await post(`${path}/sign`, { message, signature });
  await load();
  tell('record', 'said', says);
});

function preview(found) {
  const box = clone('preview');
  part('made', box).textContent = new Date(found.createdAt).toLocaleString();
  for (const { name, count } of found.holds) {
    const row = Object.assign(document.createElement('div'), { className: 'row' });
    row.append(...[['dt', name], ['dd', count]].map(([tag, textContent]) => Object.assign(document.createElement(tag), { textContent })));
    part('holds', box).append(row);
  }
  part('notes', box).append(...(found.notes ?? []).map((textContent) => Object.assign(document.createElement('li'), { textContent })));
  for (const choice of box.querySelectorAll('[data-choice]')) {
    const changes = found[choice.dataset.choice] ?? [];
    if (!changes.length) continue;
    choice.hidden = false;
    part('table', choice).append(table(changes));
  }
  ask('import', box, () => wish('import', 'import', {
    id: found.id,
    ...Object.fromEntries([...box.querySelectorAll('[data-choice]')].map((at) => [at.dataset.choice, at.querySelector('input').checked])),
  }));
}

const look = (file) => working('import', async () => {
  const large = (most) => new Error(`This file is larger than ${most} MiB and was not read. Nothing was changed.`);
  if (file.size > MOST_TEXT * MIB) throw large(MOST_TEXT);
  tell('import', 'said', 'Reading the backup…');
  let body = file;
  let packed = await file.slice(0, 2).text() === '\x1f\ufffd';
  if (!packed && file.size > MOST * MIB) {
    body = await new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();
    packed = true;
  }
  if (body.size > MOST * MIB) throw large(MOST);
  const found = await request(`${path}/stage`, { method: 'POST', headers: { 'Content-Type': packed ? 'application/gzip' : 'application/json' }, body });
  preview(await found.json());
});

const act = {
  continue: () => post(`${path}/continue`, {}).then(() => load(true)).catch(trouble),
  reload: () => {
    for (const name of Object.keys(told)) delete told[name];
    load(true).catch(trouble);
  },
  freeze: () => wish('freeze', '/api/freeze', {}),
  lift: () => wish('freeze', 'lift', {}),
  clear: () => wish('account', 'account', {}),
  revoke: ({ id: key }) => wish('token', 'revoke', { id: key }),
  'window-end': () => wish('window', 'window-end', {}),
  unshare: () => wish('sharing', 'sharing', { on: false }),
  dismiss: ({ key }) => wish('remote', 'dismiss', { key }),
  forget: ({ key }) => wish('project', 'mode', { key, mode: '' }),
  undo: ({ id: change }) => wish('undo', 'undo', { id: change, apply: false }),
  switch: ({ code, may }) => wish(code, code, { allow: JSON.parse(may) }),
  export: () => working('export', fetchCopy),
  sign,
  decide: ({ which }) => {
    const field = document.getElementById(`url-${which}`);
    reveal(field);
    field.focus();
  },
  meet: () => {
    const field = main.querySelector('[data-form="remote"] [name="code"]');
    reveal(field);
    field.focus();
  },
  preset,
  edit: (_, button) => {
    edit(button.closest('tr'));
    touched(button); // a redraw would close the row
  },
  restart: ({ which }) => working(which, async () => {
    tell(which, 'said', (await post(`${path}/restart`, {})).says);
  }),
  default: ({ which }) => wish(which, 'endpoint', { which, url: '' }),
  add: (_, button) => {
    part('rows').append(clone('limit'));
    edit(part('rows').lastElementChild);
    touched(button);
  },
  remove: (_, button) => {
    touched(button);
    button.closest('tr').remove();
    main.querySelector('[data-action="add"]').focus();
  },
};

function touched(at) {
  const { form } = at.closest('[data-form]').dataset;
  busyForms.add(form);
  if (form === 'limits') part('saving').hidden = false;
}

main.addEventListener('input', ({ target }) => target.closest('[data-form]') && touched(target));
main.addEventListener('change', ({ target }) => {
  if (target.dataset.mode) wish('project', 'mode', { key: target.dataset.mode, mode: target.value });
  if (target.id === 'token-scope') fit(target.form);
  if (target.name === 'only') part('recipients').hidden = !target.checked;
  if (target.name === 'every') {
    for (const box of target.form.querySelectorAll('[name="protocol"]')) Object.assign(box, { disabled: target.checked, checked: box.checked || target.checked });
  }
  if (target.id !== 'copy' || !target.files.length) return;
  look(target.files[0]).finally(() => {
    target.value = '';
    busyForms.delete('import');
  });
});
// While the file dialog is open, the field must remain the one that the user opened.
main.addEventListener('cancel', ({ target }) => target.id === 'copy' && busyForms.delete('import'));
main.addEventListener('submit', (event) => {
  event.preventDefault();
  const { which, form: name } = event.target.dataset;
  if (which) wish(name, 'endpoint', { which, url: event.target.elements.url.value });
  else send[name](event.target);
});
// The arrow keys move between the tabs, as in every tab list.
main.addEventListener('keydown', (event) => {
  const at = TABS.findIndex((name) => event.target.id === `tab-${name}`);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + TABS.length, Home: 0, End: TABS.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  choose(TABS[to % TABS.length], true);
});
main.addEventListener('click', ({ target }) => {
  if (target.role === 'tab') choose(target.id.slice('tab-'.length));
  if (target.id === 'copy') busyForms.add('import');
  const button = target.closest('[data-action]');
  if (!button || button.disabled) return;
  act[button.dataset.action]?.(button.dataset, button);
});
addEventListener('beforeunload', (event) => busyForms.size && event.preventDefault());

discover((all) => { wallets = all; });
open(post).then(() => load()).then(() => {
  say('Settings');
  follow(path, load);
}, closed);
