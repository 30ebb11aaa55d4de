// The right of this tab to its page. The one-time code leaves the address bar
// before any other script work.
const CODE = /^#[\w-]{43}$/;
let code = CODE.test(location.hash) ? location.hash.slice(1) : '';
if (code) history.replaceState(null, '', location.pathname);
// A new link to this page in this tab changes nothing but the fragment.
addEventListener('hashchange', () => CODE.test(location.hash) && location.reload());

const [, first, second] = location.pathname.split('/');
export const kind = first || 'home';
export const id = second || kind; // of /, /book and the like
const name = (key) => `say-ur-intent/${kind}/${id}/${key}`;

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

// keep and recall survive a reload of the tab, and nothing else.
export const keep = (key, value) => write('sessionStorage', name(key), value);
export const recall = (key) => read('sessionStorage', name(key));

// The session of this browser, for all its tabs. Only pages of this origin can read it: a cookie
// would go to every server of this computer, whatever its port.
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

let token = recall('token');
let pass = null;
let wide = false;
export const bearer = () => token;
export const mine = () => pass; // names this tab in a stream
export const shares = () => wide && session; // the token of a stream for all tabs

const elsewhere = dataset.home ? `, or run “${dataset.home}” for a link of your own` : '';

// open trades the code, or the session, for a token, once; a tab that has a token goes on with it.
export async function open(post) {
  const fresh = code;
  code = '';
  let answer;
  if (fresh || session) {
    const body = { kind, id, ...(fresh && { code: fresh }), ...(session && { session }), ...(fresh && token && { token }) };
    answer = await post('/api/exchange', body).catch((error) => {
      if (fresh || error.status !== 401) throw error;
    });
    if (answer?.session) begin(answer.session);
    else if (session && !answer?.wide) begin(null); // it has ended
  }
  if (!answer && !token) throw new Error(`This page needs the whole link that your AI client gave you. Ask it for a new one${elsewhere}.`);
  if (answer) ({ token, pass, wide } = answer);
  unlocked();
  keep('token', token);
}

// A tab of the session that goes away leaves its page to the others.
addEventListener('pagehide', ({ persisted }) => !persisted && wide && fetch('/api/leave', {
  method: 'POST', keepalive: true, body: '{}', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
}));
