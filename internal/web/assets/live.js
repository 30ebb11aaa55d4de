// How a page learns of changes: from the stream, which is read with fetch so that the token stays
// in a header, or by polling. A browser has six connections per address, for all tabs. One tab of a
// session reads the stream for all of its tabs. Among the tabs that a link opened, only visible
// ones have a stream, and at most three.
import { request } from './api.js';
import { bearer, mine, shares } from './token.js';

const SILENCE = 45000; // ms; the server sends something every 15 s
const OPENS = 2000; // ms for a stream to open
const ASK = 2000; // ms between polls of a page without a stream; shorter at first
const LOOK = 60000; // ms between polls of a hidden or final page
const field = (block, name) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];
const { locks } = navigator;

// placed runs the work in one of three slots, if one is free.
const NONE = Symbol('no place');
async function placed(work) {
  if (!locks) return work();
  for (let place = 0; place < 3; place += 1) {
    const done = await locks.request(`stream ${place}`, { ifAvailable: true }, (held) => (held ? work() : NONE));
    if (done !== NONE) return done;
  }
  return false;
}

// live runs until the token for the path is no longer valid. It returns functions to call when the
// subject becomes final, when its wallet is asked and when it answers, and one that stops it.
export function live(path, on) {
  const channel = locks && self.BroadcastChannel && new BroadcastChannel('say-ur-intent');
  const shared = () => channel && shares(path);
  let over = false;
  let last;
  let here = true;
  let stop;
  let wake;
  let waiting; // the latest event with that name
  const wanted = () => (document.visibilityState === 'visible' && !on.final?.()) || Boolean(on.asked?.());
  let held = wanted();

  const answered = () => {
    if (!here) on.back();
    here = true;
  };
  const missed = () => {
    if (here) on.lost();
    here = false;
  };

  // heard receives the events of all tabs. Each tab takes its own.
  const heard = {
    changed: (now) => (!shared() || now.pass === mine(path)) && on.changed(now),
    progress: ({ pass, marks }) => (!shared() || pass === mine(path)) && on.progress?.(marks),
    waiting(now) {
      waiting = now;
      document.body.dataset.waiting = now.count;
      for (const at of document.querySelectorAll('[data-part="count"]')) at.textContent = now.count || '';
    },
    lost: missed,
    back: answered,
    joined: () => stop && waiting && channel.postMessage(['waiting', waiting]),
  };
  const tell = (name, data) => {
    heard[name]?.(data);
    if (shared()) channel.postMessage([name, data]);
  };
  if (channel) channel.onmessage = ({ data: [name, data] }) => shared() && heard[name]?.(data);

  // stream reads events until the end. It returns false if it did not open.
  async function stream() {
    if (!wanted()) return false;
    const own = stop = new AbortController();
    let timer;
    const within = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(() => own.abort(), ms);
    };
    let opened = false;
    try {
      within(OPENS);
      const session = shared();
      const headers = { ...(last && { 'Last-Event-ID': last }), Authorization: `Bearer ${session || bearer(path)}` };
      const { body } = await request('/api/stream', { headers, signal: own.signal });
      opened = true;
      within(SILENCE);
      tell('back');
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        within(SILENCE);
        const blocks = (text + part.value).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          const name = field(block, 'event');
          last = field(block, 'id') ?? last;
          if (name === 'replaced') return false; // another tab of this page has it
          if (name) tell(name, JSON.parse(field(block, 'data')));
        }
      }
    } catch (error) {
      if (!opened && !own.signal.aborted && (error.status === 401 || error.status === 0)) throw error;
    } finally {
      stop = null;
      clearTimeout(timer);
    }
    return opened;
  }

  async function ask() {
    if (over) return;
    const now = await (await request(path, { signal: AbortSignal.timeout(10000) })).json();
    if (over) return;
    answered();
    on.changed(now);
    if (now.progress) on.progress?.(now.progress);
  }

  // listen reads the stream of the session, or receives what the tab with the stream passes on. In
  // the latter case, it polls now and then to detect missing events.
  async function listen() {
    const done = await locks.request('session stream', { ifAvailable: true }, (mineNow) => (mineNow ? stream() : NONE));
    if (done !== NONE) return done;
    await ask();
    channel.postMessage(['joined']);
    const own = stop = new AbortController();
    const timer = setTimeout(() => own.abort(), SILENCE);
    await locks.request('session stream', { signal: own.signal }, () => {}).catch(() => {});
    clearTimeout(timer);
    return true;
  }

  async function run() {
    let soon = 250;
    for (let wait = 250; !over;) {
      let pause = 250;
      try {
        if (!wanted() || !await (shared() ? listen() : placed(stream))) {
          await ask();
          pause = wanted() ? soon : LOOK;
          soon = Math.min(soon * 2, ASK);
        }
        wait = 250;
      } catch (error) {
        if (over) return;
        if (error.status === 401) {
          on.ended(error);
          return;
        }
        if (error.status === 0) tell('lost');
        wait = Math.min(wait * 2, 4000);
        pause = wanted() ? wait : LOOK;
      }
      await new Promise((next) => {
        wake = next;
        setTimeout(next, pause);
      });
    }
  }

  function refit() {
    if (held === wanted()) return;
    held = !held;
    if (!held) stop?.abort();
    wake?.();
  }
  function end() {
    over = true;
    document.removeEventListener('visibilitychange', refit);
    stop?.abort();
    wake?.();
    channel?.close();
  }
  document.addEventListener('visibilitychange', refit);
  // A page that the browser restores from its cache has a dead stream.
  addEventListener('pageshow', ({ persisted }) => persisted && [stop?.abort(), wake?.()]);
  run();
  return { refit, end };
}
