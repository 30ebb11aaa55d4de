package evidence

// KeyShown is supported by a wallet's signature on this program's message: the wallet held the
// address's key when it signed.
const KeyShown Claim = "account_key_shown_by_signature"

// NotAuthority rules out authority over an account whose key was shown. An owner's earlier presence
// is not a login and permits nothing.
func NotAuthority() Claims { return Claims{AccountLogin, WalletAuthorization} }
