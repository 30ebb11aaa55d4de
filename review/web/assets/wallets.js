// Wallets that announce themselves to this page by the Wallet Standard's two
// window events. Their names, ids and icons are text and data of unknown authors.
const CONNECT = 'standard:connect';
const SIGN = 'sui:signTransaction';
const EXECUTE = 'sui:signAndExecuteTransaction';

const found = new Set();
const watchers = new Set();

const register = (...wallets) => {
  for (const wallet of wallets) found.add(wallet);
  for (const tell of watchers) tell();
  return () => wallets.forEach((wallet) => found.delete(wallet));
};

// discover calls tell now and whenever a wallet arrives, with all of them.
export function discover(tell) {
  const all = () => tell([...found]);
  watchers.add(all);
  if (watchers.size === 1) {
    // Listen first: a wallet may answer within the dispatch.
    addEventListener('wallet-standard:register-wallet', ({ detail }) => detail({ register }));
    dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
  }
  all();
}

export const idOf = (wallet) => String(wallet.id ?? wallet.name);
export const canSign = (wallet) => SIGN in wallet.features;

// fits says whether a wallet can do this page's work; onChain also asks for the network.
export const fits = ({ features }) => CONNECT in features && (SIGN in features || EXECUTE in features);
export const onChain = (wallet, chain) => fits(wallet) && wallet.chains.includes(chain);

// icon gives a picture that carries its own data; others would tell a stranger who looks.
export const icon = (wallet) => (/^data:image\/(svg\+xml|png|webp|gif|jpeg)[;,]/.test(wallet.icon) ? wallet.icon : '');

// accountsOf connects and gives the accounts that are usable on the chain.
// silent: without a prompt, only what the wallet allowed this page before.
export async function accountsOf(wallet, chain, silent) {
  const { accounts } = await wallet.features[CONNECT].connect(silent ? { silent: true } : undefined);
  const all = [...(accounts ?? wallet.accounts)];
  return all.filter((account) => /^0x[0-9a-f]{64}$/i.test(account.address) && account.chains.includes(chain));
}

// signWith asks the wallet. The transaction is JSON: that is what wallets take.
export function signWith(wallet, account, chain, json) {
  const ask = { transaction: { toJSON: async () => json }, account, chain };
  return canSign(wallet)
    ? wallet.features[SIGN].signTransaction(ask)
    : wallet.features[EXECUTE].signAndExecuteTransaction(ask);
}

// refused tells a person's no from a wallet's failure.
export const refused = (error) => error?.code === 4001
  || /\b(reject|rejected|den(y|ied)|cancel(l?ed)?|declined?|refused?)\b/i.test(String(error?.message ?? error));
