// The stream of changes, read with fetch so that the token stays in a header.
// Each begins with the present state.
import { request } from './api.js';

const SILENCE = 45000; // ms; the server says something every 15 s
const field = (block, name) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1];

// live runs until this page's right ends.
export async function live(on) {
  let last;
  let here = true;
  for (let wait = 500; ; wait = Math.min(wait * 2, 4000)) {
    const stop = new AbortController();
    let watchdog;
    const heard = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => stop.abort(), SILENCE);
    };
    try {
      heard();
      const { body } = await request('/api/stream', { headers: last && { 'Last-Event-ID': last }, signal: stop.signal });
      if (!here) on.back();
      here = true;
      wait = 250;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        heard();
        const blocks = (text + part.value).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          const name = field(block, 'event');
          last = field(block, 'id') ?? last;
          if (name === 'replaced') return;
          if (name) on[name]?.(JSON.parse(field(block, 'data')));
        }
      }
    } catch (error) {
      if (error.status === 401) {
        on.ended(error);
        return;
      }
      if (error.status === 0 && here) on.lost();
      here = here && error.status !== 0;
    } finally {
      clearTimeout(watchdog);
    }
    await new Promise((next) => { setTimeout(next, wait); });
  }
}
