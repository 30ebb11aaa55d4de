// Wallets that announce themselves with the two window events of the Wallet Standard. Their texts
// and data come from unknown authors.
const CONNECT = 'standard:connect';
const SIGN = 'sui:signTransaction';
const EXECUTE = 'sui:signAndExecuteTransaction';

// discover reports all wallets, now and whenever one is added or removed.
export function discover(tell) {
  const found = new Set();
  const register = (...wallets) => {
    wallets.forEach((wallet) => found.add(wallet));
    tell([...found]);
    // This event also reports that the wallet was unlocked, or offers another account.
    wallets.forEach((wallet) => wallet.features['standard:events']?.on('change', () => tell([...found])));
    return () => {
      wallets.forEach((wallet) => found.delete(wallet));
      tell([...found]);
    };
  };
  // Listen first, because a wallet may respond during the dispatch.
  addEventListener('wallet-standard:register-wallet', ({ detail }) => detail({ register }));
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
  tell([...found]);
}

export const idOf = (wallet) => String(wallet.id ?? wallet.name);
export const canSign = (wallet) => SIGN in wallet.features;
// fits reports whether a wallet can do what this page needs; onChain, also on this network.
export const fits = ({ features }) => CONNECT in features && (SIGN in features || EXECUTE in features);
export const onChain = (wallet, chain) => fits(wallet) && wallet.chains.includes(chain);

// accountsOf connects a wallet. silent means without a prompt, if the wallet allowed that before.
export async function accountsOf(wallet, chain, silent) {
  const { accounts } = await wallet.features[CONNECT].connect(silent && { silent });
  return (accounts ?? wallet.accounts)
    .filter((account) => /^0x[0-9a-f]{64}$/i.test(account.address) && account.chains.includes(chain));
}

// signWith asks the wallet for a signature and checks the result.
export function signWith(wallet, account, chain, json) {
  const ask = { transaction: { toJSON: async () => json }, account, chain };
  return canSign(wallet)
    ? wallet.features[SIGN].signTransaction(ask)
    : wallet.features[EXECUTE].signAndExecuteTransaction(ask);
}

// messenger returns the connected wallet if it is available and can sign messages.
const MESSAGE = 'sui:signPersonalMessage';
export const messenger = (wallets, chain, { walletId, walletName }) => wallets.find((wallet) => onChain(wallet, chain)
  && MESSAGE in wallet.features && idOf(wallet) === walletId && wallet.name === walletName);

// signMessage asks it for the account's signature of a message.
export async function signMessage(wallet, account, chain, message) {
  let accounts = await accountsOf(wallet, chain, true).catch(() => []);
  if (!accounts.length) accounts = await accountsOf(wallet, chain);
  const own = accounts.find(({ address }) => address.toLowerCase() === account);
  if (!own) throw new Error('The wallet does not offer this account right now.');
  const signed = await wallet.features[MESSAGE].signPersonalMessage({ account: own, chain, message: new TextEncoder().encode(message) });
  return signed?.signature ?? Promise.reject(new Error('It returned no signature.'));
}

// refused reports whether the user declined, as opposed to an error of the wallet.
export const refused = (error) => error?.code === 4001
  || /\b(reject|den(y|ied)|cancel|decline|refuse)/i.test(error?.message ?? error);
