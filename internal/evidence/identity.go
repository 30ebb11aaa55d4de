package evidence

// KeyShown is what a wallet's signature of this program's message supports: that it held the key of
// the address when it signed.
const KeyShown Claim = "account_key_shown_by_signature"

// NotAuthority rules out authority over an account whose key was shown: the owner's earlier
// presence is not a login and permits nothing.
func NotAuthority() Claims { return Claims{AccountLogin, WalletAuthorization} }
