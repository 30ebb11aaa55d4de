// Package request keeps what somebody asked for: an ordered list of steps, and how they are
// grouped into transactions.
//
// A request of one transaction begins as its review, whose page asks for the approval and
// the signature at once. It follows that review and has no state of its own beside it. A
// request of several transactions is approved first, as a whole, with what may leave the
// account at most; then each step becomes a review just before its turn, is signed on its
// own page, and is awaited on the chain before the next one is made. The first step that
// fails ends the request. Nothing here signs, and no transaction material passes through:
// the law of releases is that of the reviews, to which a request adds one refusal, see
// Request.Handing.
package request
