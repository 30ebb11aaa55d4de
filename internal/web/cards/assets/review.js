// The card of a review: the request, the amounts that would move, and its state.
const states = {
  proposed: ['accent', 'clock', 'New'], awaiting_wallet: ['accent', 'clock', 'Open'], wallet_connected: ['accent', 'clock', 'Open'],
  ready_for_wallet_review: ['accent', 'clock', 'Ready to read'], refresh_required: ['', 'clock', 'Needs a new price'],
  blocked: ['bad', 'stop', 'Blocked'], signed_pending_result: ['info', 'clock', 'Signed'],
  success: ['good', 'check', 'Done'], failure: ['bad', 'cross', 'Failed'], expired: ['', 'clock', 'Expired'],
};

const amountOf = (a) => a && { number: text(a.displayAmount), symbol: text(a.symbol), listed: a.symbolUnverified !== true };

// computed returns the amounts that were decoded from the transaction.
function computed(review) {
  const { outgoing, minimumIncoming: least, expectedIncoming: likely, fees } = review.assetFlow ?? {};
  const near = likely && least && likely.rawAmount !== least.rawAmount && `Likely ${spaced(text(likely.displayAmount))}`;
  return [
    outgoing && row('You pay at most', amountOf(outgoing)),
    (least ?? likely) && row('You receive at least', amountOf(least ?? likely), near, 'good'),
    lines(...list(fees).map((f) => line('Fee', `${text(f.displayAmount)} ${text(f.symbol)}`))),
  ];
}

// estimated returns the estimated amounts before the transaction is built.
function estimated(plan, look) {
  const out = list(plan.assetFlowPreview).find((a) => a.direction === 'outgoing' && /^\d/.test(text(a.amount)));
  const arrives = parted(look.arrives);
  return [
    out && row('You pay', { number: out.amount, symbol: text(out.symbol) }),
    arrives && row('You receive about', arrives, '', 'good'),
    lines(line('At least', look.guaranteed), line('Price', look.market), line('Fee', look.fee), line('Comes back', look.unspent)),
  ];
}

// troubles returns failed checks and cautions.
function troubles(answer) {
  const checks = list(answer.reviewState?.checks).filter((c) => c.status === 'fail' || (c.status === 'warning' && !c.note));
  const stops = [...list(answer.preflight?.blockers), ...checks.filter((c) => c.status === 'fail')];
  const told = (c) => [el('p', '', el('bdi', '', figures(c.message))), c.do && el('p', '', el('bdi', '', figures(c.do)))];
  return [
    stops.length > 0 && verdict('warn', 'stop', 'This cannot go through as it is', ...stops.flatMap(told)),
    ...checks.filter((c) => c.status !== 'fail').map((c) => verdict('warn', 'warn', text(c.label), ...told(c))),
  ];
}

function read(answer) {
  const status = text(answer.status ?? answer.internalStatus);
  const plan = list(answer.plans)[0];
  const review = answer.reviewState?.humanReadableReview;
  const [tone, sign, state] = states[status] ?? ['', 'info', status];
  const title = text(plan?.title) || text(review?.proposedAction?.title) || upper(text(answer.intent?.asked)) || 'Review';
  const moves = review ? computed(review) : estimated(plan ?? {}, answer.preflight?.expected ?? {});
  const rows = moves.filter((one) => one?.className === 'entry');
  const opened = ['browser_started', 'client_agreed'].includes(answer.opening);
  const end = answer.statusCategory === 'final' ? '' : clock(answer.expiresAt);
  return {
    state, tone, sign, network: answer.network, label: 'Open the review',
    link: (!opened && ours(answer.reviewUrl)) || page('review', answer.reviewSessionId),
    note: answer.statusCategory === 'final' ? '' : 'Prices are updated there. Only you can sign, in your wallet.',
    view: [lead(title, text(answer.headline)), ...troubles(answer), deal(rows),
      ...moves.filter((one) => one && one.className !== 'entry'), lines(line('Open until', end))],
  };
}
