package web_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/chromedp/chromedp"
	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// walletScript is a Wallet Standard wallet whose behavior the test chooses. %s is the way in which
// it responds to a request to sign, until mannersNow sets another.
const walletScript = `(() => {
  const account = {
    address: '%[1]s', publicKey: new Uint8Array(32), chains: ['sui:localnet'],
    features: ['sui:signTransaction'], label: 'First',
  };
  const other = { ...account, address: '0x' + '7'.repeat(64), label: 'Second' };
  const manners = {
    honest: (json) => goSign({ how: 'honest', json }),
    late: async (json) => { await new Promise((go) => { window.answerNow = go; }); return goSign({ how: 'honest', json }); },
    refuses: async () => { throw Object.assign(new Error('User rejected the request'), { code: 4001 }); },
    breaks: async () => { throw new Error('bridge \u202Eto the wallet broke <img src=x onerror=alert(1)>'); },
    hangs: () => new Promise(() => {}),
    bytes: (json) => goSign({ how: 'bytes', json }),
    signer: (json) => goSign({ how: 'signer', json }),
    zklogin: (json) => goSign({ how: 'zklogin', json }),
    gas: (json) => goSign({ how: 'gas', json }),
    executesLate: async (json) => { await goExecute(json); await new Promise((go) => { window.answerNow = go; }); return goSign({ how: 'honest', json }); },
    twice: async (json) => { await goExecute(json); return goSign({ how: 'honest', json }); },
    disconnects: async () => { gone(); throw new Error('Extension context invalidated: the wallet disconnected'); },
    garbage: async () => ({ bytes: '!!!', signature: '?' }),
  };
  window.asked = 0;
  let gone = () => {};
  const signing = location.pathname.startsWith('/review/');
  const wallet = {
    version: '1.0.0', id: 'test.wallet', name: 'Test wallet', chains: ['sui:localnet'], accounts: [account, other],
    icon: 'data:image/svg+xml,%%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"%%3E%%3Cpath fill="%%23444" d="M0 0h4v4H0z"/%%3E%%3C/svg%%3E',
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account, other] }) },
      'sui:signTransaction': { version: '2.0.0', signTransaction: async ({ transaction }) => {
        window.asked++;
        return manners[window.mannersNow ?? '%[2]s'](await transaction.toJSON());
      } },
    },
  };
  if ('%[2]s' === 'executes') {
    delete wallet.features['sui:signTransaction'];
    wallet.features['sui:signAndExecuteTransaction'] = { version: '2.0.0', signAndExecuteTransaction: async ({ transaction }) => (
      { digest: await goExecute(await transaction.toJSON()) }) };
  }
  // On the review page some offer less than they did when they were connected.
  if (signing && '%[2]s' === 'account') wallet.features['standard:connect'].connect = async () => ({ accounts: [other] });
  if (signing && '%[2]s' === 'chain') wallet.chains = ['sui:mainnet'];
  if (signing && '%[2]s' === 'accountchain') account.chains = ['sui:mainnet'];
  if (signing && '%[2]s' === 'connect') wallet.features['standard:connect'].connect = async () => { throw new Error('locked'); };
  const announce = ({ register }) => { gone = register(wallet); };
  addEventListener('wallet-standard:app-ready', ({ detail }) => announce(detail));
})()`

type signCall struct {
	How  string `json:"how"`
	JSON string `json:"json"`
}

type signAnswer struct {
	Bytes     string `json:"bytes"`
	Signature string `json:"signature"`
}

// useWallet adds a wallet with a behavior to the tab. Its key is in the test, outside the page,
// like that of an extension.
func (j *job) useWallet(b *tab, manners string) *atomic.Int64 {
	j.t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	var calls atomic.Int64
	b.do(chromedp.ExposeFunc("goSign", func(_ context.Context, c signCall) (signAnswer, error) {
		calls.Add(1)
		tx, err := sui.ParseWalletJSON([]byte(c.JSON))
		if err != nil {
			return signAnswer{}, err
		}
		switch c.How {
		case "gas":
			tx.Gas.Budget++
		case "bytes":
			tx.Expiration = sui.EpochExpiration{Epoch: 1 << 40}
		}
		raw, signature, err := j.house.Sandbox.Sign(tx)
		if err != nil {
			return signAnswer{}, err
		}
		if c.How == "signer" {
			message := blake2b.Sum256(append([]byte{0, 0, 0}, raw...))
			signature = append([]byte{0}, ed25519.Sign(key, message[:])...)
			signature = append(signature, key.Public().(ed25519.PublicKey)...)
		}
		if c.How == "zklogin" {
			signature = testkit.ZkLoginSignature(raw, 5)
		}
		return signAnswer{base64.StdEncoding.EncodeToString(raw), base64.StdEncoding.EncodeToString(signature)}, nil
	}))
	b.do(chromedp.ExposeFunc("goExecute", func(ctx context.Context, text string) (string, error) {
		tx, err := sui.ParseWalletJSON([]byte(text))
		if err != nil {
			return "", err
		}
		raw, signature, err := j.house.Sandbox.Sign(tx)
		if err != nil {
			return "", err
		}
		done, err := j.house.Node.Execute(ctx, raw, signature)
		return done.Digest.String(), err
	}))
	b.inject(fmt.Sprintf(walletScript, person, manners))
	return &calls
}

// quoted returns text as a JavaScript string.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
