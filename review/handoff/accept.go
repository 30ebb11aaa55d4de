package handoff

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/record"
)

// What a person can accept on the review page before the transaction is released, in
// addition to what Beside.Need returns.
const (
	acceptPrice       = "price"
	acceptVenues      = "venues"
	acceptOpenedTwice = "opened_twice"
	acceptName        = "name"
)

// mostAccepted bounds the list of accepted ids in one request.
const mostAccepted = 64

// readAccepted refuses ids that no page can have offered.
func readAccepted(ids []string) error {
	for _, id := range ids {
		if slices.Contains([]string{acceptPrice, acceptVenues, acceptOpenedTwice, acceptName, record.CheckDeclinedBefore}, id) {
			continue
		}
		other, replaces := strings.CutPrefix(id, record.AcceptReplace)
		if !replaces {
			var again bool
			if other, again = strings.CutPrefix(id, record.AcceptAgain); !again {
				return notAccepted()
			}
		}
		if other == "" || len(other) > 64 || strings.Trim(other, idLetters) != "" {
			return notAccepted()
		}
	}
	//mutant:never ./review TestAcceptedIDs
	if len(ids) > mostAccepted {
		return notAccepted()
	}
	return nil
}

// idLetters are the characters of a review's id.
const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func notAccepted() error {
	return fault.New(fault.InputInvalid, "What was accepted is price, venues, name, opened_twice, declined_before, replace:<review> "+
		"or again:<review>. Reload the page.").With("field", "accepted")
}
