package evidence

// KeyShown claims that the wallet held the account's key when it signed a message of this program.
const KeyShown Claim = "account_key_shown_by_signature"

// NotAuthority returns the claims of authority that a proof of the account's key does not support.
// The proof is not a login and grants no permission.
func NotAuthority() Claims { return Claims{AccountLogin, WalletAuthorization} }
