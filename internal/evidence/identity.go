package evidence

// KeyShown is what a wallet's signature over a message of this program supports:
// that it held the key of the address when it signed.
const KeyShown Claim = "account_key_shown_by_signature"

// NotAuthority refuses to be taken for authority over an account whose key was
// shown: that its owner was there once is no login and allows nothing.
func NotAuthority() Claims { return Claims{AccountLogin, WalletAuthorization} }
