// local writes every time in the person's own time zone, with UTC beside it.
let own;
const written = (moment) => {
  own ??= new Intl.DateTimeFormat(undefined, {
    day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
  });
  return own.format(moment);
};
// A browser takes 50 ms for the first one: it is made while a node is asked.
setTimeout(() => written(0), 300);

export function local(root) {
  for (const at of root.querySelectorAll('time[datetime]:not([data-utc])')) {
    const moment = new Date(at.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    at.dataset.utc = at.textContent;
    if (moment.getTimezoneOffset() !== 0) at.textContent = `${written(moment)} (${at.textContent})`;
  }
  return root;
}
