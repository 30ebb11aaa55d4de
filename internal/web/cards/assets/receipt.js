// The card of a receipt: the result of a transaction on chain.
const waits = {
  pending: 'Not signed', awaiting_wallet: 'Not signed', awaiting_signature: 'Not signed', refresh_required: 'Needs a new price',
  blocked: 'Blocked', signed_pending_result: 'Signed', expired: 'Expired',
};

const promised = {
  spent_at_most: 'Paid', minimum_arrived: 'Arrived', gas_within_budget: 'Gas', fee_at_most: 'Fee',
};

// kept compares promises with results. A promise other than an amount is shown only if it was
// broken.
function kept(one) {
  const name = text(one.label) || promised[one.id];
  if (one.kept && !name) return '';
  return line(name || upper(text(one.id).replaceAll('_', ' ')), text(one.actual),
    `${one.kept ? 'Promised' : 'Not kept; promised'}: ${text(one.promised)}`);
}

const proofs = {
  proved: ['good', 'check', 'Signed by the validators'], told_pending: ['', 'clock', 'Reported by one node; checking the proof'],
  told: ['', 'info', 'Reported by one node'], mismatch: ['bad', 'stop', 'Do not rely on this result'],
};

function ended(answer, result) {
  const receipt = result.receipt ?? {};
  const done = answer.status === 'success';
  const seal = el('span', done ? 'seal' : 'seal bad', icon(done ? 'check' : 'cross'));
  const [deed, where] = text(answer.headline).split(/(?<=\.) (?=[A-Z])/);
  const head = lead(figures(deed.replace(/\.$/, '')), figures(text(receipt.whereMoneyLies) || where));
  head.classList.toggle('good', done);
  head.prepend(seal);
  const moved = list(receipt.accountChanges).map(parted).filter(Boolean)
    .map((m) => (m.number.startsWith('-') ? row('Left your account', { ...m, number: m.number.slice(1) }) : row('Arrived', m, '', 'good')));
  const proof = proofs[result.proof?.state];
  return [head, deal(moved),
    lines(...list(receipt.promises).map(kept), line('Market fee', receipt.marketFee), line('Not traded', receipt.unspent)),
    result.failureReason && verdict('bad', 'cross', 'It failed', el('p', '', text(result.failureReason).replaceAll('_', ' '))),
    receipt.nextStep && el('p', 'fine', figures(receipt.nextStep)),
    el('p', 'proofs', proof && el('span', `tag ${proof[0]}`, icon(proof[1]), proof[2])),
    result.txDigest && el('p', 'fine', 'Transaction ', el('span', 'mono', text(result.txDigest)))];
}

function read(answer) {
  const result = answer.executionResult ?? {};
  const over = ['success', 'failure'].includes(answer.status);
  const failed = answer.status === 'failure';
  const troubles = list(answer.problems).map((p) => verdict('warn', 'warn', figures(p.message), p.do && el('p', '', figures(p.do))));
  return {
    state: over ? (failed ? 'Failed' : 'Done') : waits[answer.status] ?? text(answer.status),
    tone: over ? (failed ? 'bad' : 'good') : 'info', sign: over ? (failed ? 'cross' : 'check') : 'clock',
    network: answer.network, label: 'Open the review', link: page('review', answer.reviewSessionId),
    note: over ? '' : 'Only you can sign, in your wallet.',
    view: over ? ended(answer, result) : [lead('No result yet', figures(answer.headline)), ...troubles,
      result.note && el('p', 'fine', figures(result.note))],
  };
}
