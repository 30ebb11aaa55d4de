package backup

import (
	"context"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// givenUp returns an error while releases have no known result, because a wallet may have signed
// them, unless the user named all their reviews. Some results never become known, for example
// because no node keeps the history.
func givenUp(unsettled []record.ID, named string) error {
	given := strings.Fields(named)
	var ids []string
	missing := false
	for _, id := range unsettled {
		ids = append(ids, string(id))
		missing = missing || !slices.Contains(given, string(id))
	}
	if !missing {
		return nil
	}
	return fault.New(fault.Blocked, "Nothing was erased. %d of your reviews were sent to a wallet and their results are "+
		"not known yet: %s. Erasing them could lose track of a signed transaction. Wait for their results, then try "+
		"again. If you can never learn them, check your wallet's history, then erase anyway by typing: %s: %s",
		len(ids), strings.Join(ids[:min(len(ids), 5)], ", "), ResetWords, strings.Join(ids, " ")).WithList("reviews", ids)
}

// ResetWords is the text that a user types to erase all data.
const ResetWords = "erase everything"

// Reset erases all local data. typed must be ResetWords. While releases are unsettled, Reset
// returns an error and changes nothing, unless typed also contains a colon and the IDs of all
// affected reviews.
func (s *Service) Reset(ctx context.Context, page, typed string, rights ...settings.Right) (settings.Outcome, error) {
	words, named, _ := strings.Cut(typed, ":")
	if !strings.EqualFold(strings.TrimSpace(words), ResetWords) {
		return settings.Outcome{}, fault.New(fault.InputInvalid, "To erase everything, type the words: %s.",
			ResetWords).With("field", "reset")
	}
	s.drop()
	err := s.c.Store.Erase(ctx, page, func(unsettled []record.ID) error {
		if err := settings.CheckRights(ctx, rights); err != nil {
			return err
		}
		return givenUp(unsettled, named)
	})
	if err != nil {
		return settings.Outcome{}, err
	}
	return settings.Outcome{Done: true,
		Says: "All local data is erased, including your limits. Open links and pages have ended. " +
			"Addresses return to their defaults when Say Ur Intent restarts."}, nil
}
