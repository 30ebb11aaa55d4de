package backup

import (
	"context"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/review/record"
)

// givenUp refuses a reset that would lose track of what a wallet may have signed, unless the user
// named every review of unknown result: some results never become known, for example if no node
// keeps the history.
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
	return fault.New(fault.Blocked, "A transaction of %d of your reviews was handed to a wallet and its result is not "+
		"known yet: %s. Losing them could lose track of a signed transaction. Wait for their results, then try again. "+
		"Nothing was changed. "+
		"If their results can never be known, look in your wallet what became of them; "+
		"to forget them all the same, type: %s: %s",
		len(ids), strings.Join(ids[:min(len(ids), 5)], ", "), ResetWords, strings.Join(ids, " ")).WithList("reviews", ids)
}

// ResetWords is what a user types to delete everything.
const ResetWords = "forget everything"

// Reset deletes all local data. typed must be ResetWords. While a release is unsettled it refuses,
// without a change, unless a colon and the ids of all such reviews follow.
func (s *Service) Reset(ctx context.Context, page, typed string, rights ...settings.Right) (settings.Outcome, error) {
	words, named, _ := strings.Cut(typed, ":")
	if !strings.EqualFold(strings.TrimSpace(words), ResetWords) {
		return settings.Outcome{}, fault.New(fault.InputInvalid, "To forget everything, type the words: %s.",
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
		Says: "All local data is forgotten, your limits too. Links and pages that were open have ended. " +
			"Addresses are back at their defaults when Say Ur Intent is started again."}, nil
}
