// Times are shown in the user's time zone, with UTC next to them or in the title.
const forms = {
  whole: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  week: { weekday: 'short' },
  day: { day: 'numeric', month: 'short' },
};
const made = {};
const written = (moment, form = 'whole') => (made[form] ??= new Intl.DateTimeFormat(undefined, forms[form])).format(moment);
// The first formatter takes 50 ms, so it is created while a node is being queried.
setTimeout(() => written(0), 300);

const DAY = 86400000;
const midnight = (moment) => new Date(moment).setHours(0, 0, 0, 0);

// since describes how long ago a time was, if it was today. Otherwise it returns the date and time.
function since(moment) {
  const days = Math.round((midnight(Date.now()) - midnight(moment)) / DAY);
  const minutes = Math.floor((Date.now() - moment) / 60000);
  if (days === 0 && minutes < 1) return 'just now';
  if (days === 0) return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
  const day = days === 1 ? 'Yesterday' : written(moment, days < 7 ? 'week' : 'day');
  return `${day} ${written(moment, 'clock')}`;
}

export function local(root) {
  for (const at of root.querySelectorAll('time[datetime]:not([data-utc])')) {
    const moment = new Date(at.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    at.dataset.utc = at.textContent;
    const whole = moment.getTimezoneOffset() === 0 ? at.dataset.utc : `${written(moment)} (${at.dataset.utc})`;
    const short = 'ago' in at.dataset || 'clock' in at.dataset;
    if (short) at.title = whole;
    at.textContent = short ? '' : whole;
    if ('clock' in at.dataset) at.textContent = written(moment, 'clock');
  }
  again(root);
  return root;
}

// again updates how long ago it was.
function again(root) {
  for (const at of root.querySelectorAll('time[data-ago]')) at.textContent = since(new Date(at.dateTime));
}
setInterval(() => again(document), 30000);
