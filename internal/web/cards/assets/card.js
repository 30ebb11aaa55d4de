// Shared by all cards: they talk to the client that shows them, and write text. All words are
// written as text, never as markup.
const root = document.documentElement;
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const mould = (name) => document.querySelector(`[data-mould="${name}"]`)?.content.firstElementChild.cloneNode(true);
const { origin } = document.body.dataset;
const colors = JSON.parse(document.body.dataset.colors);

// el creates an element with a class. Children that are not elements become text.
function el(tag, look, ...inside) {
  const made = document.createElement(tag);
  if (look) made.className = look;
  made.append(...inside.filter((one) => one !== undefined && one !== null && one !== '' && one !== false));
  return made;
}

const icon = (name) => mould(`icon-${name}`);
const coin = (symbol, listed) => (listed && mould(`coin-${symbol}`)) || mould('coin-');
const text = (value) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const list = (value) => (Array.isArray(value) ? value : []);
const upper = (words) => words.charAt(0).toUpperCase() + words.slice(1);
const bold = (words) => el('strong', '', el('bdi', '', words));

// spaced groups the digits of a decimal number, as the pages do.
function spaced(decimal) {
  const [whole, fraction] = decimal.replace('-', '−').split('.');
  return whole.replace(/\d(?=(\d{3})+$)/g, '$&,') + (fraction === undefined ? '' : `.${fraction}`);
}

// parted splits "12.5 USDC" into its number and its unit. It returns null for other texts.
function parted(words) {
  const m = /^(-?\d+(?:\.\d+)?) (\S+)$/.exec(text(words));
  return m && { number: m[1], symbol: m[2] };
}

const figures = (words) => text(words).replace(/\d+(\.\d+)?/g, (n) => spaced(n));

// row is one amount that moves, in the form that the pages use.
function row(label, { number, symbol, listed = symbol in colors }, note, tone) {
  const made = mould('row');
  const [whole, fraction = ''] = spaced(number).split('.');
  const money = made.querySelector('.money');
  const [head, rest, unit] = money.children;
  made.querySelector('.label').textContent = label;
  head.textContent = whole + (fraction && `.${fraction.slice(0, 2)}`);
  rest.textContent = fraction.slice(2);
  unit.textContent = symbol;
  if (tone) {
    money.classList.add(tone);
    money.prepend('+');
  }
  const aside = made.querySelector('.aside');
  if (note) aside.textContent = note; else aside.remove();
  made.prepend(coin(symbol, listed));
  return made;
}

const line = (name, value, more) => value && el('div', 'row', el('dt', '', name),
  el('dd', '', el('bdi', '', figures(value)), more && el('small', '', figures(more))));
const lines = (...all) => (all.some(Boolean) ? el('dl', '', ...all) : '');
const deal = (rows) => (rows.length > 0 ? el('section', 'deal', ...rows) : '');
const verdict = (tone, sign, words, ...more) => el('section', `verdict ${tone}`, icon(sign), el('h2', '', words), ...more);
const lead = (words, sub) => el('header', 'lead', el('h1', '', el('bdi', '', words)), sub && el('p', 'sub', el('bdi', '', sub)));

function clock(at) {
  const when = new Date(text(at));
  if (Number.isNaN(when.getTime())) return '';
  return when.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

// show fills in a card's parts: { state, tone, sign, view, link, label, note, network }.
function show(face) {
  part('network').hidden = !text(face.network).endsWith(':sandbox');
  part('state').replaceChildren(...(face.state ? [el('span', `tag ${face.tone}`, icon(face.sign), face.state)] : []));
  part('view').replaceChildren(...face.view.filter(Boolean));
  const footer = document.querySelector('footer');
  footer.hidden = !face.link;
  footer.querySelector('a').href = face.link || '#';
  footer.querySelector('a span').textContent = text(face.label);
  part('note').textContent = text(face.note);
}

// problem shows a result that is an error.
function problem(result) {
  let said = list(result.content).map((block) => text(block?.text)).join(' ');
  try {
    said = text(JSON.parse(said).error.message) || said;
  } catch { /* it is plain text */ }
  return { state: 'Refused', tone: 'warn', sign: 'warn', view: [lead('That did not work', figures(said))] };
}

// ours returns an address if it is one of the pages, because nothing else is opened.
const ours = (url) => (origin && text(url).startsWith(`${origin}/`) ? url : '');
const page = (kind, id) => (origin && /^[\w-]{8,128}$/.test(text(id)) ? `${origin}/${kind}/${id}` : '');

// Communication with the client.
let serial = 0;
const asked = new Map();
const send = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

function ask(method, params) {
  return new Promise((done, failed) => {
    serial += 1;
    asked.set(serial, { done, failed });
    send({ id: serial, method, params });
  });
}

function look(context) {
  if (['light', 'dark'].includes(context?.theme)) root.dataset.theme = context.theme;
}

function grown() {
  const { width, height } = document.querySelector('main').getBoundingClientRect();
  send({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width) + 2, height: Math.ceil(height) + 2 } });
}

// open asks the client to open the link. The code in a link can be used only once, so a second
// click omits it.
async function open(event) {
  event.preventDefault();
  const url = event.currentTarget.href;
  const [bare] = url.split('#');
  event.currentTarget.href = bare;
  let refused = true;
  try {
    refused = (await ask('ui/open-link', { url })).isError === true;
  } catch { /* the client opens no links */ }
  if (refused) part('note').replaceChildren('Open this link in the browser that has your wallet: ', el('span', 'spelled', url));
}

function begin(reads) {
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    if (data.method === undefined) {
      const waits = asked.get(data.id);
      asked.delete(data.id);
      if (data.error) waits?.failed(data.error); else waits?.done(data.result);
    } else if (data.method === 'ui/notifications/tool-result') {
      const answer = data.params?.structuredContent?.data;
      show(data.params?.isError || !answer ? problem(data.params ?? {}) : reads(answer));
    } else if (data.method === 'ui/notifications/tool-cancelled') {
      show({ view: [lead('Cancelled', 'The call was cancelled. It signed nothing.')] });
    } else if (data.method === 'ui/notifications/host-context-changed') {
      look(data.params);
    } else if (['ping', 'ui/resource-teardown'].includes(data.method)) {
      send({ id: data.id, result: {} });
    } else if (data.id !== undefined) {
      send({ id: data.id, error: { code: -32601, message: 'A card does not do that.' } });
    }
  });
  document.querySelector('footer a').addEventListener('click', open);
  ask('ui/initialize', {
    protocolVersion: '2026-01-26', appInfo: { name: 'say-ur-intent', version: '1' }, appCapabilities: { availableDisplayModes: ['inline'] },
  }).then((host) => {
    look(host?.hostContext);
    send({ method: 'ui/notifications/initialized' });
    new ResizeObserver(grown).observe(document.querySelector('main'));
  }, () => {});
}
