// local writes every time in the person's own time zone, with UTC beside it.
const own = new Intl.DateTimeFormat(undefined, {
  day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
});

export function local(root) {
  for (const at of root.querySelectorAll('time[datetime]:not([data-utc])')) {
    const moment = new Date(at.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    at.dataset.utc = at.textContent;
    if (moment.getTimezoneOffset() !== 0) at.textContent = `${own.format(moment)} (${at.textContent})`;
  }
  return root;
}
