// One review, which is read and signed on its own page or on that of its bundle. Only what is shown
// is signed.
import { recall } from './token.js';
import { fragment, post, request } from './api.js';
import { discover } from './wallets.js';
import { deliver, holds, lacks, outcome, resign, sign } from './sign.js';
import { save } from './follow.js';
import { live } from './live.js';
import { HEADLINE, closed, find, lost, outdated, part as partOf, problem as problemIn, showing } from './page.js';

// Milliseconds for which the figures must be unchanged before signing.
const ARM = 800;
const HANG = 60000; // ms without an answer of the wallet
const GRACE = 1500; // ms for wallets to announce themselves
const FINAL = ['success', 'failure', 'expired'];
const { chain } = document.body.dataset;

let wallets = [];
let announced = () => {};
discover((all) => {
  wallets = all;
  announced();
});

// same reports whether the text is unchanged, or the maximum cost has not increased.
const same = ([text, most] = [], [now, nowMost] = []) => text === now || (most && nowMost && BigInt(nowMost) <= BigInt(most));

// left returns the milliseconds until a time.
const left = (then) => (then ? Math.min(then[0] - performance.now(), then[1] - Date.now()) : Infinity);

// figure returns a typed number without separators between its digits.
const figure = (text) => text.replace(/[\s\u00a0\u202f%]/g, '').replace(',', '.');
const wanted = ({ dataset }) => dataset.accept.slice(dataset.accept.lastIndexOf(':') + 1);

const filled = new Map(); // last response of each address, shown after a redraw until there is a newer one

function fill(at) {
  const { later } = at.dataset;
  const show = (found) => {
    at.replaceChildren(found.cloneNode(true));
    at.hidden = false;
  };
  if (filled.has(later)) show(filled.get(later));
  else at.hidden = true;
  fragment(later).then((found) => {
    filled.set(later, found);
    show(found);
  }).catch(() => { at.hidden = true; });
}

// able sets whether the button can be used. The button keeps the focus, and says why it cannot be
// used.
function able(button, yes) {
  button.ariaDisabled = !yes;
  if (yes) button.removeAttribute('aria-describedby');
  else button.setAttribute('aria-describedby', 'sign-why');
}

// read shows the review of a page such as review/1, using its fragment with a name, in places that
// put fills. drawn is called after each redraw, and adds returns additional actions. It returns a
// function that reports whether the wallet is being asked, and one that ends it.
export function read(of, name, places, put, drawn = () => {}, adds = () => null) {
  const path = `/api/${of}`;
  const show = showing(places, put);
  const part = (called) => partOf(called, ...places);
  const every = (selector) => places.flatMap((at) => [...at.querySelectorAll(selector)]);
  const kept = (key) => recall(key, of);
  let view = null;
  let seen = null; // {substance, facts} at first or when last acknowledged
  let changed = false; // newer figures need the user's acknowledgment
  let signing = null; // {step, digest}
  let trouble = null; // [problem, more]
  let missing = ''; // problem of a wallet that cannot be asked
  let looks = 0;
  let heard; // the source of changes
  let arming = 0;
  // When the figures expire, by two clocks.
  let ends = null;
  let over = false; // they have expired
  let computed = '';
  let shown = ''; // the commitment to which accepted applies
  let accepted = new Set();
  let ended = false;

  async function load() {
    const latest = await show(`${path}/${name}`);
    if (latest === view) return; // a newer request was answered first
    view = latest;
    const { commitment, substance, expiresIn, next, access, revision, stage, released } = view.dataset;
    ends = commitment ? [performance.now() + Number(expiresIn), Date.now() + Number(expiresIn)] : null;
    over = false;
    if (commitment) compare(commitment, substance);
    if (stage === 'success' || stage === 'failure') trouble = null;
    find('[data-action="submit"]', ...places)?.toggleAttribute('hidden', !kept('release'));
    part('resign')?.toggleAttribute('hidden', !holds(released));
    paint(document.activeElement === find(HEADLINE, ...places));
    every('[data-later]').forEach(fill);
    drawn();
    look();
    if (next && access === 'active' && computed !== revision) await compute();
  }

  // look reports early that the wallet or its account is missing.
  async function look() {
    if (!view || signing) return;
    own?.look(wallets);
    const mine = looks += 1;
    const lack = part('sign') && !('collecting' in view.dataset) ? await lacks(wallets, { ...view.dataset, chain }) : '';
    if (mine !== looks || signing) return;
    if (lack && performance.now() < GRACE) {
      setTimeout(look, GRACE);
      return;
    }
    const told = trouble?.[0].startsWith('no-');
    if (missing === lack && !told) return;
    if (told) trouble = null;
    missing = lack;
    paint(true);
  }

  // compare marks differences from what the user has seen.
  function compare(commitment, substance) {
    const all = every('[data-fact]');
    const facts = new Map(all.map((at) => [at.dataset.fact, [at.textContent.trim(), at.dataset.atMost]]));
    const before = seen?.facts ?? facts;
    const differ = [...new Set([...facts.keys(), ...before.keys()])].filter((one) => !same(before.get(one), facts.get(one)));
    changed ||= seen && (seen.substance !== substance || differ.length > 0);
    if (shown !== commitment) [shown, accepted] = [commitment, new Set()];
    if (!changed) {
      seen = { substance, facts };
      return;
    }
    part('changed').hidden = false;
    part('count').textContent = differ.length;
    for (const at of all) at.classList.toggle('different', differ.includes(at.dataset.fact));
    for (const one of differ) {
      const line = document.createElement('li');
      line.textContent = `${one}: was ${before.get(one)?.[0] ?? 'not shown'}, is now ${facts.get(one)?.[0] ?? 'not shown'}`;
      part('differences').append(line);
    }
  }

  const asked = () => every('[data-accept]');
  const unanswered = () => asked().some(({ dataset }) => !accepted.has(dataset.accept));
  const armed = () => !signing && !over && !changed && !unanswered() && left(ends) > 0
    && document.visibilityState === 'visible' && !document.body.classList.contains('offline');

  const say = (called, more, quietly) => problemIn(called, more, quietly, ...places);
  const mark = (called, yes) => [view, find('.act', ...places)].forEach((at) => at?.classList.toggle(called, yes));

  function paint(quietly = false) {
    clearTimeout(arming);
    heard?.refit();
    say(...(trouble ? [...trouble, quietly] : [missing, '', true]));
    const button = part('sign');
    const steps = part('steps');
    if (!steps) return;
    steps.hidden = !signing;
    const stale = over && !signing;
    mark('asked', Boolean(signing));
    mark('stale', stale);
    for (const [called, no] of [['over', !stale], ['update', !stale], ['hold', stale], ['sign', stale]]) part(called)?.toggleAttribute('hidden', no);
    mark('unread-news', Boolean(changed));
    mark('unanswered', unanswered());
    for (const at of asked()) {
      const yes = accepted.has(at.dataset.accept);
      if (at.type === 'checkbox') at.checked = yes;
      else if (at.type === 'text') retype(at, yes);
      else at.setAttribute('aria-pressed', yes);
    }
    for (const at of steps.querySelectorAll('[data-step]')) at.hidden = at.dataset.step !== signing?.step;
    part('digest').hidden = !signing?.digest;
    part('digest-text').textContent = signing?.digest ?? '';
    if (!button) return;
    able(button, false);
    if (armed()) arming = setTimeout(() => able(button, armed()), ARM);
  }

  const ticking = setInterval(() => {
    if (!ends || over) return;
    const ms = Math.ceil(Math.max(0, left(ends)) / 1000) * 1000;
    part('clock').textContent = new Date(ms).toISOString().slice(15, 19);
    part('meter').setAttribute('width', (100 * ms) / view.dataset.holds);
    if (left(ends) > 0) return;
    over = true;
    paint();
  }, 250);

  // aged shows that the figures have expired and nothing else has happened.
  const aged = (now) => ends && left(ends) < 2000 && now.status === 'refresh_required'
    && !outdated({ ...now, status: view.dataset.status, revision: view.dataset.revision }, view);

  async function compute(again = view.dataset.again === 'true') {
    // The server may have updated the review while the figures expired here.
    const { revision } = over ? await (await request(`${path}/state`)).json() : { revision: Number(view.dataset.revision) };
    computed = String(revision);
    await post(`${path}/compute`, { revision, ...(again && { again }) });
  }

  let hang;
  const step = (called, digest = signing?.digest) => {
    signing = { step: called, digest };
    clearTimeout(hang); // the wallet's time begins when it is asked
    if (called === 'asking') hang = setTimeout(() => { if (signing?.step === 'asking') step('hanging'); }, HANG);
    paint();
  };

  const asking = (work) => work().finally(() => {
    clearTimeout(hang);
    signing = null;
  });

  // first requests the bytes for what the page shows.
  function first(hand) {
    const then = ends;
    const facts = {
      ...view.dataset, chain, late: () => left(then) <= 0,
      accepted: asked().map(({ dataset }) => dataset.accept).filter((one) => accepted.has(one)),
    };
    return asking(() => hand(facts));
  }

  const own = adds(path, { first, asking, step });
  const go = (to, body = {}) => post(`${path}/${to}`, body).then(({ url }) => location.assign(url));

  const actions = {
    sign: () => first((facts) => sign(path, wallets, facts, step)),
    resign: () => asking(() => resign(path, wallets, step)),
    refresh: () => compute(),
    update: () => compute(),
    settings: () => location.assign('/settings'),
    both: () => compute(true),
    one: () => compute(false),
    decline: () => outcome(path, 'declined', view.dataset.stage === 'released' ? kept('release') : null),
    closed: () => { signing = null; return outcome(path, 'signing_disconnected'); },
    unsigned: () => { signing = null; return outcome(path, 'declined'); },
    submit: () => post(`${path}/submit`, { releaseNonce: kept('release') }),
    continue: () => post(`${path}/continue`, { revision: Number(view.dataset.revision) }),
    proof: () => post(`${path}/proof`, {}).then(({ file, name }) => save(new Blob([file], { type: 'application/json' }), name)),
    steps: () => go('steps'),
    bundle: () => go('bundle'),
    instead: ({ dataset: { action, ...change } }) => go('instead', { revision: Number(view.dataset.revision), ...change }),
    acknowledge: () => { changed = seen = null; },
    ...own?.actions,
  };

  async function attempt(work) {
    try {
      await work();
    } catch (error) {
      trouble = [error.problem ?? (error.status === 0 ? 'unreachable' : 'server'), error.message];
      paint();
    }
  }

  // retype restores what was typed before a newer view.
  function retype(at, yes) {
    if (yes && !at.value) at.value = wanted(at);
    at.setAttribute('aria-invalid', Boolean(at.value) && !yes);
  }

  // accept records a tick of the user, who can remove it.
  function accept({ dataset }, yes = !accepted.has(dataset.accept)) {
    accepted[yes ? 'add' : 'delete'](dataset.accept);
    paint();
  }

  const click = async ({ target, isTrusted }) => {
    if (isTrusted && target.matches('[data-accept]:not([type="text"])')) accept(target);
    const button = target.closest('[data-action]');
    const act = actions[button?.dataset.action];
    if (!act || !isTrusted || button.disabled || button.ariaDisabled === 'true') return;
    button.disabled = true;
    say();
    trouble = null;
    await attempt(() => act(button));
    await attempt(load);
  };
  const input = ({ target, isTrusted }) => {
    if (isTrusted && target.matches('[data-accept][type="text"]')) accept(target, figure(target.value) === wanted(target));
  };
  for (const at of places) {
    at.addEventListener('click', click);
    at.addEventListener('input', input);
  }
  const repaint = () => view && paint(true);
  document.addEventListener('visibilitychange', repaint);
  announced = look;

  const follow = () => live(`${path}/state`, {
    asked: () => Boolean(signing),
    final: () => FINAL.includes(view.dataset.stage),
    // What the wallet is asked about must stay visible.
    changed: (now) => !signing && outdated(now, view) && !aged(now) && attempt(load),
    progress: (stages) => stages?.forEach(({ id, state }) => {
      find(`[data-work="${id}"]`, ...places)?.setAttribute('data-state', state);
    }),
    lost: () => [lost(true), paint()],
    // Another process may serve the page now, without this computation.
    back: () => { lost(false); computed = ''; return signing || over || attempt(load); },
    ended: closed,
  });

  const ready = load().then(() => {
    if (ended) return;
    heard = follow();
    if (kept('signed')) attempt(() => deliver(path, step)).then(() => { signing = null; attempt(load); });
  }, closed);
  return {
    ready,
    asks: () => Boolean(signing),
    end() {
      ended = true;
      heard?.end();
      clearInterval(ticking);
      clearTimeout(arming);
      document.removeEventListener('visibilitychange', repaint);
      for (const at of places) {
        at.removeEventListener('click', click);
        at.removeEventListener('input', input);
      }
    },
  };
}
