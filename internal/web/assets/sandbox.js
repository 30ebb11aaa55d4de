// The sandbox network's replacement for a wallet extension. It holds no key.
import { post } from './api.js';

const chains = ['sui:localnet'];
const account = {
  address: '0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207',
  publicKey: Uint8Array.from('d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737'.match(/../g), (byte) => parseInt(byte, 16)),
  chains,
  features: ['sui:signTransaction', 'sui:signPersonalMessage'],
  label: 'Sandbox account',
};
const wallet = {
  version: '1.0.0',
  id: 'say-ur-intent-sandbox',
  name: 'Sandbox test wallet',
  icon: 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"%3E%3Cpath fill="%23946200" d="M0 0h4v4H0z"/%3E%3C/svg%3E',
  chains,
  accounts: [account],
  features: {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'sui:signTransaction': {
      version: '2.0.0',
      signTransaction: async ({ transaction }) => post('/sandbox/wallet/sign', { transaction: await transaction.toJSON() }),
    },
    'sui:signPersonalMessage': {
      version: '1.1.0',
      signPersonalMessage: async ({ message }) => post('/sandbox/wallet/sign', { personalMessage: btoa(String.fromCharCode(...message)) }),
    },
  },
};

const announce = ({ register }) => register(wallet);
addEventListener('wallet-standard:app-ready', ({ detail }) => announce(detail));
dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }));
