// Wallets that announce themselves by the Wallet Standard's two window events:
// text and data of unknown authors.
const CONNECT = 'standard:connect';
const SIGN = 'sui:signTransaction';
const EXECUTE = 'sui:signAndExecuteTransaction';

// discover tells all wallets, now and whenever one comes or goes.
export function discover(tell) {
  const found = new Set();
  const register = (...wallets) => {
    wallets.forEach((wallet) => found.add(wallet));
    tell([...found]);
    // It says when it is unlocked, or offers another account.
    wallets.forEach((wallet) => wallet.features['standard:events']?.on('change', () => tell([...found])));
    return () => {
      wallets.forEach((wallet) => found.delete(wallet));
      tell([...found]);
    };
  };
  // Listen first: a wallet may answer within the dispatch.
  addEventListener('wallet-standard:register-wallet', ({ detail }) => detail({ register }));
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
  tell([...found]);
}

export const idOf = (wallet) => String(wallet.id ?? wallet.name);
export const canSign = (wallet) => SIGN in wallet.features;
// fits: it can do this page's work; onChain: on this network, too.
export const fits = ({ features }) => CONNECT in features && (SIGN in features || EXECUTE in features);
export const onChain = (wallet, chain) => fits(wallet) && wallet.chains.includes(chain);

// accountsOf connects; silent: without a prompt, as the wallet allowed before.
export async function accountsOf(wallet, chain, silent) {
  const { accounts } = await wallet.features[CONNECT].connect(silent && { silent });
  return (accounts ?? wallet.accounts)
    .filter((account) => /^0x[0-9a-f]{64}$/i.test(account.address) && account.chains.includes(chain));
}

// signWith asks the wallet; what comes back is checked.
export function signWith(wallet, account, chain, json) {
  const ask = { transaction: { toJSON: async () => json }, account, chain };
  return canSign(wallet)
    ? wallet.features[SIGN].signTransaction(ask)
    : wallet.features[EXECUTE].signAndExecuteTransaction(ask);
}

// messenger is the wallet that was connected, where it is here and signs messages.
const MESSAGE = 'sui:signPersonalMessage';
export const messenger = (wallets, chain, { walletId, walletName }) => wallets.find((wallet) => onChain(wallet, chain)
  && MESSAGE in wallet.features && idOf(wallet) === walletId && wallet.name === walletName);

// signMessage asks it for the account's signature.
export async function signMessage(wallet, account, chain, message) {
  let accounts = await accountsOf(wallet, chain, true).catch(() => []);
  if (!accounts.length) accounts = await accountsOf(wallet, chain);
  const own = accounts.find(({ address }) => address.toLowerCase() === account);
  if (!own) throw new Error('The wallet does not offer this account right now.');
  const signed = await wallet.features[MESSAGE].signPersonalMessage({ account: own, chain, message: new TextEncoder().encode(message) });
  return signed?.signature ?? Promise.reject(new Error('It returned no signature.'));
}

// refused: a person's no, not a wallet's failure.
export const refused = (error) => error?.code === 4001
  || /\b(reject|den(y|ied)|cancel|decline|refuse)/i.test(error?.message ?? error);
