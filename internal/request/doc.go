// Package request carries out several transactions one after another: a request in the mode
// "steps".
//
// A request is an ordered list of ordinary reviews. The person approves the whole of it
// once, with what may leave the account at most; then each step becomes a review just
// before its turn, is signed on its own page, and is awaited on the chain before the next
// one is made. The first step that fails ends the request. Nothing here signs, and no
// transaction material passes through: the law of releases is that of the reviews, to
// which a request adds one refusal, see Request.Handing.
package request
