// Package request manages requests: ordered lists of steps, grouped into transactions.
//
// A request with one transaction has no state of its own. It follows its review, whose page asks
// for approval and signature together. A request with several transactions must first be approved
// as a whole, with the maximum that may leave the account. Its steps then become reviews one after
// another. Each is signed on its own page, and must be confirmed on chain before the next one
// starts. The first step that fails ends the request.
//
// The package never signs and has no access to transaction material. Releases follow the rules of
// reviews, and additionally require the consent of Request.Handing.
package request
