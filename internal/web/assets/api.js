// Calls to the page's own server.
import { bearer } from './token.js';
import { local } from './times.js';

// no returns the error of a failed call. Status 0 means that there was no response.
const known = {
  0: 'Say Ur Intent is not responding.',
  400: 'Invalid request.',
  429: 'Too many requests. Wait a minute, then try again.',
  401: 'This page can no longer act. Ask your AI client for a new link.',
};
const no = (status, { kind, message = known[status] ?? `This could not be read (${status}).` } = {}) => Object.assign(new Error(message), { status, kind });
const authorised = (path, headers) => ({ ...(bearer(path) && { Authorization: `Bearer ${bearer(path)}` }), ...headers });

export async function request(path, { headers, ...rest } = {}) {
  const answer = await fetch(path, {
    ...rest, headers: authorised(path, headers), credentials: 'omit', redirect: 'error',
  }).catch(() => { throw no(0); });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  throw no(answer.status, told?.error);
}

export const post = async (path, body) => (await request(path, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
})).json();

// fragment loads a part of a page as a parsed document. ask selects the part.
export const fragment = (path, ask) => new Promise((done, failed) => {
  const call = new XMLHttpRequest();
  call.open(ask ? 'POST' : 'GET', path);
  call.responseType = 'document';
  if (ask) call.setRequestHeader('Content-Type', 'application/json');
  for (const header of Object.entries(authorised(path, { Accept: 'text/html' }))) call.setRequestHeader(...header);
  call.onload = () => {
    // A response without a body must not be read: it would be parsed as invalid XML.
    const [view, now] = (call.status === 200 && call.response?.body?.children) || [];
    if (!view) {
      failed(no(call.status));
      return;
    }
    const used = document.getElementById('account');
    if (now && now.dataset.inUse !== used.dataset.inUse) {
      used.dataset.inUse = now.dataset.inUse;
      used.replaceChildren(...local(now).childNodes);
    }
    done(document.importNode(local(view), true));
  };
  call.onerror = () => failed(no(0));
  call.send(ask && JSON.stringify(ask));
});
