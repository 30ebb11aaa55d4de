// How a page hears of changes: by the stream, read with fetch so that the token
// stays in a header, or by asking. A browser has six connections for all tabs of
// an address, so a page that nobody looks at holds no stream, and three do at most.
import { request } from './api.js';

const SILENCE = 45000; // ms; the server says something every 15 s
const OPENS = 2000; // ms in which a stream opens
const ASK = 2000; // ms between the questions of a page without a stream
const LOOK = 60000; // ms between those of a page that nobody looks at, or that is final
const PATIENCE = 10000; // ms for an answer
const PLACES = ['stream 1', 'stream 2', 'stream 3'];
const field = (block, name) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];

// placed does the work in one of the browser's places for streams; false: all are taken.
async function placed(work) {
  if (!navigator.locks) return work();
  for (const name of PLACES) {
    const done = await navigator.locks.request(name, { ifAvailable: true }, async (held) => held && [await work()]);
    if (done) return done[0];
  }
  return false;
}

// live runs until this page's right ends. What it returns is called when the page
// has become final, or when its wallet is asked or no longer asked.
export function live(path, on) {
  let last;
  let here = true;
  let crowded = false; // another tab of this page took the stream
  let stop;
  let wake = () => {};
  const watched = () => (document.visibilityState === 'visible' && !on.final?.()) || Boolean(on.asked?.());
  const wanted = () => watched() && !crowded;
  let held = wanted();

  const answered = () => {
    if (!here) on.back();
    here = true;
  };

  // stream reads events until the stream ends; false: it did not open.
  async function stream() {
    if (!wanted()) return false;
    stop = new AbortController();
    const { signal } = stop;
    let timer;
    const within = (ms) => {
      clearTimeout(timer);
      timer = setTimeout((one) => one.abort(), ms, stop);
    };
    let opened = false;
    try {
      within(OPENS);
      const { body } = await request('/api/stream', { headers: last && { 'Last-Event-ID': last }, signal });
      opened = true;
      within(SILENCE);
      answered();
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        within(SILENCE);
        const blocks = (text + part.value).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          const name = field(block, 'event');
          last = field(block, 'id') ?? last;
          crowded ||= name === 'replaced';
          if (name) on[name]?.(JSON.parse(field(block, 'data')));
        }
      }
    } catch (error) {
      // What is not a refusal of the page's right, nor silence, is answered by asking.
      if (!opened && !signal.aborted && (error.status === 401 || error.status === 0)) throw error;
    } finally {
      clearTimeout(timer);
    }
    return opened;
  }

  async function ask() {
    const now = await (await request(path, { signal: AbortSignal.timeout(PATIENCE) })).json();
    answered();
    on.changed(now);
    if (now.progress) on.progress?.(now.progress);
  }

  async function run() {
    for (let wait = 250; ;) {
      let pause = 250;
      try {
        if (!wanted() || !await placed(stream)) {
          await ask();
          pause = watched() ? ASK : LOOK;
        }
        wait = 250;
      } catch (error) {
        if (error.status === 401) {
          on.ended(error);
          return;
        }
        if (error.status === 0 && here) on.lost();
        here = here && error.status !== 0;
        wait = Math.min(wait * 2, 4000);
        pause = watched() ? wait : LOOK;
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
    wake();
  }
  document.addEventListener('visibilitychange', () => {
    crowded = false;
    refit();
  });
  run();
  return refit;
}
