// Package bundle carries out several transactions one after another: a bundle in the mode
// "steps".
//
// A bundle is an ordered list of ordinary reviews. The person approves the whole of it
// once, with what may leave the account at most; then each step becomes a review just
// before its turn, is signed on its own page, and is awaited on the chain before the next
// one is made. The first step that fails ends the bundle. Nothing here signs, and no
// transaction material passes through: the law of releases is that of the reviews, to
// which a bundle adds one refusal, see Bundle.Handing.
package bundle
