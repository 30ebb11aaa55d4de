// The card of an account's coins.
const shown = 6;

// micro converts a decimal number to millionths, so that sums are exact.
function micro(decimal) {
  const [whole, fraction = ''] = text(decimal).split('.');
  return /^\d+$/.test(whole) ? BigInt(whole) * 1000000n + BigInt(fraction.padEnd(6, '0').slice(0, 6)) : 0n;
}

const cents = (n) => spaced(`${n / 1000000n}.${String((n % 1000000n) / 10000n).padStart(2, '0')}`);

// named returns the name of a coin. For an unlisted coin, it quotes the name that the coin's
// creator chose.
function named(balance) {
  if (balance.registeredSymbol) return bold(text(balance.registeredSymbol));
  const says = text(balance.untrustedText?.symbol);
  return el('span', '', says ? el('q', '', el('bdi', '', says)) : 'A coin without a name', el('small', '', 'Not listed: its name proves nothing'));
}

function held(balance, worth) {
  const symbol = text(balance.registeredSymbol);
  const amount = text(balance.display?.amount);
  return el('li', '', coin(symbol, symbol !== ''), el('div', 'what', named(balance), worth && el('small', '', `${spaced(text(worth.midPrice))} USDC each`)),
    el('div', 'worth', el('b', '', amount ? spaced(amount) : `${spaced(text(balance.balance))} units`),
      worth && el('small', '', `≈ ${cents(micro(worth.usdc))} USDC`)));
}

function read(answer) {
  const worth = new Map(list(answer.worthInUsdc).map((w) => [text(w.symbol), w]));
  const value = (b) => (b.registeredSymbol === 'USDC' ? micro(b.display?.amount) : micro(worth.get(text(b.registeredSymbol))?.usdc));
  const all = list(answer.balances).toSorted((a, b) => (value(b) > value(a) ? 1 : value(b) < value(a) ? -1 : 0));
  const total = all.reduce((sum, b) => sum + value(b), 0n);
  const bar = el('div', 'bar', ...all.filter((b) => value(b) > 0n).map((b) => {
    const made = el('span');
    made.style.flex = String(Math.max(Number((value(b) * 1000n) / (total || 1n)), 1));
    made.style.background = colors[b.registeredSymbol] ?? 'var(--control)';
    return made;
  }));
  const staked = list(answer.otherHoldings?.stakes).reduce((sum, s) => sum + micro(s.principal), 0n);
  const account = text(answer.accountScope?.account);
  const rest = all.length - shown;
  return {
    network: answer.network, label: 'Open your holdings', link: page('account', account),
    note: 'At DeepBook’s mid prices. Not a quote; NFTs and other protocols are not counted.',
    view: [el('header', 'lead', el('h1', 'total', `≈ ${cents(total)} `, el('small', '', 'USDC')),
      el('p', 'sub', el('span', 'mono', `${account.slice(0, 10)} … ${account.slice(-8)}`), ' · read at ', clock(answer.fetchedAt))),
    total > 0n && bar, el('ul', 'held', ...all.slice(0, shown).map((b) => held(b, worth.get(text(b.registeredSymbol))))),
    lines(line('Staked, not in the sum', staked > 0n && `${cents(staked)} SUI`),
      line('More coins', rest > 0 ? String(rest) : ''), line('This is one page', answer.hasNextPage && 'there are more coins'))],
  };
}
