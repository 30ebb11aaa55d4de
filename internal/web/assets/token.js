// The right of this tab to its page. The one-time code leaves the address bar
// before any other script work.
const CODE = /^#[\w-]{43}$/;
let code = CODE.test(location.hash) ? location.hash.slice(1) : '';
if (code) history.replaceState(null, '', location.pathname);
// A new link to this page in this tab changes nothing but the fragment.
addEventListener('hashchange', () => CODE.test(location.hash) && location.reload());

export const [, kind, id] = (location.pathname === '/' ? '/home/home' : location.pathname).split('/');
const name = (key) => `say-ur-intent/${kind}/${id}/${key}`;

// keep and recall survive a reload of the tab, and nothing else.
export function keep(key, value) {
  try {
    sessionStorage.setItem(name(key), JSON.stringify(value ?? null));
  } catch { /* storage is switched off: the page works until it is reloaded */ }
}
export function recall(key) {
  try {
    return JSON.parse(sessionStorage.getItem(name(key)));
  } catch {
    return null;
  }
}

let token = recall('token');
export const bearer = () => token;

const { home } = document.body.dataset;
const elsewhere = kind === 'settings' && home ? `, or run “${home}” and open the settings from there` : '';

// open trades the code for a token, once; a tab that has a token goes on with it.
export async function open(post) {
  const fresh = code;
  code = '';
  if (fresh) ({ token } = await post('/api/exchange', { kind, id, code: fresh }));
  else if (!token) throw new Error(`This page needs the whole link that your AI client gave you. Ask it for a new one${elsewhere}.`);
  keep('token', token);
}
