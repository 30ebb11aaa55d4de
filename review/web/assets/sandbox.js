// The sandbox network's stand-in for a wallet extension. It shows no prompt and
// holds no key: the sandbox signs, for coins that are not real.
import { post } from './api.js';

const chain = 'sui:localnet';
const features = ['sui:signTransaction'];
const account = {
  address: '@ADDRESS@', publicKey: Uint8Array.from([]), chains: [chain], features, label: 'Sandbox account',
};
const wallet = {
  version: '1.0.0',
  id: 'say-ur-intent-sandbox',
  name: 'Sandbox test wallet',
  icon: 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"%3E%3Crect width="40" height="40" rx="10" fill="%23b7791f"/%3E%3Cpath d="M11 15h18v12H11zM24 20h5v3h-5z" fill="none" stroke="%23fff" stroke-width="2"/%3E%3C/svg%3E',
  chains: [chain],
  accounts: [account],
  features: {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'standard:events': { version: '1.0.0', on: () => () => {} },
    'sui:signTransaction': {
      version: '2.0.0',
      signTransaction: async ({ transaction }) => post('/sandbox/wallet/sign', JSON.parse(await transaction.toJSON())),
    },
  },
};

const announce = ({ register }) => register(wallet);
addEventListener('wallet-standard:app-ready', ({ detail }) => announce(detail));
dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }));
