// The stream of changes, read with fetch so that the token stays in a header.
// Whatever is missed, the next event makes the page read the present state again.
import { request } from './api.js';

const SILENCE = 45000; // the server says something every 15 s

// live runs until the server ends the page's right. on: changed(data),
// progress(data), lost(), back(), ended(error).
export async function live(on) {
  let last = '';
  let wait = 500;
  let connected = true;
  for (;;) {
    const stop = new AbortController();
    let watchdog;
    const heard = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => stop.abort(), SILENCE);
    };
    try {
      heard();
      const headers = { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) };
      const answer = await request('/api/stream', { headers, signal: stop.signal });
      if (!connected) on.back();
      connected = true;
      wait = 500;
      for await (const event of events(answer.body, heard)) {
        if (event.id) last = event.id;
        if (event.name === 'replaced') return;
        on[event.name]?.(JSON.parse(event.data));
      }
    } catch (error) {
      if (error.status === 401) {
        on.ended(error);
        return;
      }
    } finally {
      clearTimeout(watchdog);
    }
    // A stream that ends is a server that goes, until the next try says otherwise.
    await new Promise((next) => { setTimeout(next, wait); });
    if (connected && !(await request('/assets/mark.svg').then(() => true, () => false))) {
      connected = false;
      on.lost();
    }
    wait = Math.min(wait * 2, 4000);
  }
}

async function* events(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const event = { name: '', id: '', data: '' };
      for (const line of block.split('\n')) {
        const at = line.indexOf(': ');
        const field = line.slice(0, at);
        if (field === 'event') event.name = line.slice(at + 2);
        else if (field in event) event[field] = line.slice(at + 2);
      }
      if (event.name) yield event;
    }
  }
}
