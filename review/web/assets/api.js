// Calls to this page's own server, and nothing else.
import { bearer } from './token.js';

// Refused is an answer that says no. status 0: the server did not answer.
export class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? (status ? `This could not be read (${status}).` : 'The program that serves this page does not answer.'));
    this.status = status;
    this.kind = error?.kind ?? 'unreachable';
    this.details = error?.details ?? {};
  }
}

const authorised = (headers) => (bearer() ? { ...headers, Authorization: `Bearer ${bearer()}` } : headers);

export async function request(path, { method = 'GET', headers = {}, body, signal } = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method, body, signal, headers: authorised(headers), cache: 'no-store', credentials: 'omit', redirect: 'error',
    });
  } catch {
    throw new Refused(0);
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => null);
    throw new Refused(answer.status, told?.error);
  }
  return answer;
}

export const get = async (path) => (await request(path)).json();

export const post = async (path, body) => (await request(path, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
})).json();

// fragment reads a part of a page as a parsed document: text of the server
// never passes through innerHTML.
export const fragment = (path) => new Promise((done, failed) => {
  const call = new XMLHttpRequest();
  call.open('GET', path);
  call.responseType = 'document';
  for (const [name, value] of Object.entries(authorised({ Accept: 'text/html' }))) call.setRequestHeader(name, value);
  call.onload = () => {
    const root = call.status === 200 && call.response?.body.firstElementChild;
    if (root) done(document.importNode(root, true));
    else failed(new Refused(call.status));
  };
  call.onerror = () => failed(new Refused(0));
  call.send();
});
