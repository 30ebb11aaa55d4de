package handoff

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Consents that a user can give on the review page before a release, in addition to those that
// record.Related.Need requires.
const (
	acceptVenues      = "venues"
	acceptOpenedTwice = "opened_twice"
	acceptName        = "name"
)

// mostAccepted bounds the list of accepted ids in one request.
const mostAccepted = 64

// readAccepted returns an error if the list is too long or has an id that no page can have offered.
func readAccepted(ids []string) error {
	for _, id := range ids {
		if typed(id) || slices.Contains([]string{acceptVenues, acceptOpenedTwice, acceptName}, id) {
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

// typed reports whether an id ends in a number that a user typed.
func typed(id string) bool {
	figure, price := strings.CutPrefix(id, plan.AcceptPrice)
	if !price {
		rest, share := strings.CutPrefix(id, plan.AcceptShare)
		i := strings.LastIndexByte(rest, ':')
		if !share || i < 0 {
			return false
		}
		if _, err := sui.ParseCoinType(rest[:i]); err != nil {
			return false
		}
		figure = rest[i+1:]
	}
	_, err := sui.ParseDecimal(figure)
	return err == nil && len(figure) <= mostFigure
}

// mostFigure is the maximum length of a typed number.
const mostFigure = 64

// idLetters are the characters of a review's id.
const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func notAccepted() error {
	return fault.New(fault.InputInvalid,
		"What was accepted is price:<figure>, share:<coin>:<amount>, venues, name, opened_twice, "+
			"replace:<review> or again:<review>. Reload the page.").With("field", "accepted")
}
