// The console stays open all day. The server draws it, and an event of the bus redraws it.
import { id, open } from './token.js';
import { fragment, post } from './api.js';
import { bus } from './bus.js';
import { drafts } from './lists.js';
import { closed, lost, main, part, problem, say, show } from './page.js';

const path = `/api/console/${id}`;
const trouble = ({ message }) => problem('server', message);
const banner = document.getElementById('lost');
let third = false;
let before;
let timer;

const may = () => 'Notification' in window && Notification.permission;

async function draw() {
  let give;
  let explained;
  const view = await show(`${path}/view`, () => {
    give = drafts();
    explained = part('explained')?.firstElementChild;
  });
  give();
  if (explained) part('explained').replaceChildren(explained);
  part('notify').hidden = may() !== 'default';
  part('third').hidden = !third;
  const count = Number(view.dataset.count);
  document.title = `${count ? `(${count}) ` : ''}Console · Say Ur Intent`;
  if (count > before && document.hidden && may() === 'granted') new Notification('Say Ur Intent', { body: 'Something needs you.', tag: 'say-ur-intent' });
  before = count;
  // Something that changes with time alone is redrawn at that time.
  clearTimeout(timer);
  const next = Date.parse(view.dataset.next) - Date.now();
  if (next >= 0) timer = setTimeout(again, Math.min(next + 500, 2 ** 31 - 1));
  return view;
}

// again redraws once for all events that arrived meanwhile.
let drawing;
let more = false;
async function again() {
  more = true;
  while (more && !drawing) {
    more = false;
    drawing = draw().catch(trouble);
    await drawing;
    drawing = undefined;
  }
}

const event = (body) => post('/api/system/event', { session_id: main.firstElementChild.dataset.session, event: body });
const answer = (task, text) => event({ type: 'UserResponse', request_id: task, kind: 'user_prompt', payload: { answer: text }, error: null });
const actions = {
  bundle: ({ id: one }) => post(`${path}/bundle`, { id: one }).then(({ url }) => window.open(url, '_blank', 'noopener')),
  open: ({ id: review }) => post(`${path}/open`, { id: review }).then(({ url }) => window.open(url, '_blank', 'noopener')),
  cancel: ({ id: task }) => post(`${path}/cancel`, { id: task }),
  apply: ({ id: change }) => post(`${path}/change`, { id: change, apply: true }),
  leave: ({ id: change }) => post(`${path}/change`, { id: change, apply: false }),
  choose: ({ id: task, value }) => answer(task, value),
  decline: ({ id: task }) => event({ type: 'UserResponse', request_id: task, kind: 'user_prompt', payload: null, error: 'declined' }),
  ask: ({ kind }) => event({ type: 'UserRequest', request_id: crypto.randomUUID(), kind, payload: {} }),
  notify: () => Notification.requestPermission(),
};

async function explain(data) {
  const found = await fragment(`${path}/explain`, { data });
  part('explained').replaceChildren(found);
  say(found.dataset.announce);
}

main.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-action]');
  if (button) actions[button.dataset.action](button.dataset).then(() => !['open', 'bundle'].includes(button.dataset.action) && again()).catch(trouble);
});
main.addEventListener('submit', (submitted) => {
  submitted.preventDefault();
  if (submitted.target.dataset.form === 'explain') {
    explain(submitted.target.querySelector('textarea').value).catch(trouble);
    return;
  }
  const { id: task } = submitted.target.dataset;
  answer(task, submitted.target.querySelector('textarea').value).then(again).catch(trouble);
});

open(post).then(draw).then((view) => bus(view.dataset.cursor, {
  came: again,
  lost() {
    const now = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format();
    banner.textContent = `This page lost its connection to Say Ur Intent at ${now} and shows what was true then. It keeps trying to reconnect.`;
    lost(true);
  },
  back: () => [lost(false), again()],
  full(yes) {
    third = yes;
    again();
  },
  ended: closed,
}), closed);
