// Package request keeps what somebody asked for: an ordered list of steps, grouped into
// transactions.
//
// A request of one transaction begins as its review, whose page asks for approval and signature
// together. It follows that review and has no state of its own. A request of several transactions
// is first approved as a whole, with the maximum that may leave the account. Then each step becomes
// a review when its turn comes, is signed on its own page, and is confirmed on chain before the
// next one. The first step that fails ends the request. Nothing here signs or sees transaction
// material. Releases follow the rules of reviews, to which a request adds one refusal,
// Request.Handing.
package request
