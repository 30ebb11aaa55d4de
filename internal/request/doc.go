// Package request manages requests: ordered lists of steps, grouped into transactions.
//
// A request with one transaction is its review, whose page asks for approval and signature
// together. It follows the review and has no state of its own. A request with several transactions
// is first approved as a whole, with the maximum that may leave the account. Each step then becomes
// a review in its turn. It is signed on its own page and confirmed on chain before the next step.
// The first step that fails ends the request.
//
// The package never signs, and never sees transaction material. Releases follow the rules of
// reviews; Request.Handing adds one more check.
package request
