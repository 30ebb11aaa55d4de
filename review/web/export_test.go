package web

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// BundleTitle returns the headline of a bundle's page.
func BundleTitle(b request.Request) string {
	var p bundlePage
	p.words(b, words.InShort)
	return p.Title
}

// Substance returns the fingerprint of what a transaction does.
func Substance(f *plan.Facts) string { return substance(f) }

// MaxTrials is the maximum number of comparisons per browser and minute.
const MaxTrials = maxTrials

// NewTrials returns the function that limits comparisons.
func NewTrials() func(who string, now time.Time) (end func(), err error) { return new(trials).begin }
