// The token of this tab for its page. The one-time code is removed from the address bar before any
// other script runs.
const CODE = /^#[\w-]{43}$/;
let first = CODE.test(location.hash) ? location.hash.slice(1) : '';
if (first) history.replaceState(null, '', location.pathname);
// Opening a new link to this page in this tab changes only the fragment.
addEventListener('hashchange', () => CODE.test(location.hash) && location.reload());

const [, kind = '', second] = location.pathname.split('/');
export const id = second || kind || 'home'; // for /, /book and the like
export const page = `${kind || 'home'}/${id}`;
const name = (key, of) => `say-ur-intent/${of}/${key}`;

const write = (store, key, value) => {
  try {
    self[store].setItem(key, JSON.stringify(value ?? null));
  } catch { /* storage is switched off: the page works until it is reloaded */ }
};
const read = (store, key) => {
  try {
    return JSON.parse(self[store].getItem(key));
  } catch {
    return null;
  }
};

// keep and recall survive a reload of the tab, and nothing else. of is the page to which the value
// belongs.
export const keep = (key, value, of = page) => write('sessionStorage', name(key, of), value);
export const recall = (key, of = page) => read('sessionStorage', name(key, of));

// The session of this browser, for all its tabs. Only pages of this origin can read it. A cookie
// would be sent to every server on this computer, whatever its port.
const SESSION = 'say-ur-intent/session';
let session = read('localStorage', SESSION);
const { dataset } = document.body;
const unlocked = () => { dataset.session = session ? 'wide' : 'one'; };
export const browser = () => session;
export function begin(fresh) {
  session = fresh;
  write('localStorage', SESSION, fresh);
  unlocked();
}
addEventListener('storage', ({ key }) => {
  if (key !== SESSION) return;
  session = read('localStorage', SESSION);
  unlocked();
});

// The tokens of this tab: for its page, and for what is open on it. A path of the API identifies
// the page.
const rights = new Map([[page, { token: recall('token') }]]);
const rightTo = (path) => rights.get(path.split('/').slice(2, 4).join('/')) ?? rights.get(page);
export const bearer = (path) => rightTo(path).token;
export const mine = (path) => rightTo(path).pass; // identifies this tab in a stream
export const shares = (path) => rightTo(path).wide && session; // token of a stream for all tabs

const elsewhere = dataset.home ? `, or run “${dataset.home}” for a link of your own` : '';

// open trades the code of a link, or the session, for a token. It does so once: a tab that has a
// token keeps it.
export async function open(post, of = page, link = first) {
  const code = link;
  if (of === page) first = '';
  const token = recall('token', of);
  const [kind, subject] = of.split('/');
  let answer;
  if (code || session) {
    const body = { kind, id: subject, ...(code && { code }), ...(session && { session }), ...(code && token && { token }) };
    answer = await post('/api/exchange', body).catch((error) => {
      if (code || error.status !== 401) throw error;
    });
    if (answer?.session) begin(answer.session);
    else if (session && !answer?.wide) begin(null); // it has ended
  }
  if (!answer && !token) throw new Error(`This page needs the whole link that your AI client gave you. Ask it for a new one${elsewhere}.`);
  rights.set(of, answer ?? { token });
  unlocked();
  keep('token', rights.get(of).token, of);
}

// shut leaves what was open on the page to other tabs of the session.
export function shut(of) {
  leave(rights.get(of));
  rights.delete(of);
}
const leave = ({ token, wide }) => wide && fetch('/api/leave', {
  method: 'POST', keepalive: true, body: '{}', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
});

// A closing tab of the session leaves its pages to the others.
addEventListener('pagehide', ({ persisted }) => !persisted && rights.forEach(leave));
