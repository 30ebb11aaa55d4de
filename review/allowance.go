package review

// Handed is one transaction that was handed out and not proved dead, with what
// the sums of a day need of its review.
type Handed struct {
	Review  ID
	Release Release
	// Settled is the digest of the transaction of the review whose effects the
	// chain told, "" while it told none. Moved says that it succeeded: one that
	// failed on chain took gas alone.
	Settled string
	Moved   bool
}
