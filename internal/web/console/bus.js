// How the console learns of events: from one stream, which stays open while the page is hidden and
// continues after the id of the last event. It never polls, because the server sends something
// every 15 s.
import { request } from './api.js';

const SILENCE = 45000; // ms after which a stream counts as dead
const OPENS = 10000; // ms for it to open
const PLACES = 2; // streams of consoles in one browser, which has six connections
const NONE = Symbol('no place');

// placed runs the work in one of the slots. If all are taken, it waits for one.
async function placed(work, full) {
  if (!navigator.locks) return work();
  for (let place = 0; place < PLACES; place += 1) {
    const done = await navigator.locks.request(`console ${place}`, { ifAvailable: true }, (held) => (held ? work() : NONE));
    if (done !== NONE) return done;
  }
  full(true);
  return navigator.locks.request('console 0', () => [full(false), work()][1]);
}

export function bus(first, on) {
  let last = first;
  let here = true;

  // stream reads until the end.
  async function stream() {
    const own = new AbortController();
    let timer;
    const within = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(() => own.abort(), ms);
    };
    try {
      within(OPENS);
      const { body } = await request('/api/events', { headers: { 'Last-Event-ID': last }, signal: own.signal });
      if (!here) on.back();
      here = true;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = { value: '' }; !part.done; part = await reader.read()) {
        within(SILENCE);
        const blocks = (text + part.value).split('\n\n');
        text = blocks.pop();
        const ids = blocks.flatMap((block) => block.match(/^id: (.*)$/m)?.[1] ?? []);
        last = ids.at(-1) ?? last;
        if (ids.length) on.came();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async function run() {
    for (let wait = 250; ; wait = Math.min(wait * 2, 10000)) {
      try {
        await stream();
        wait = 125;
      } catch (error) {
        if (error.status === 401) {
          on.ended(error);
          return;
        }
        if (here) on.lost();
        here = false;
      }
      await new Promise((next) => { setTimeout(next, wait); });
    }
  }
  placed(run, on.full);
}
