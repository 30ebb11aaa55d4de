package web

import (
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/review/plan"
)

// BundleTitle is the headline of a bundle's page.
func BundleTitle(b request.Request) string {
	var p bundlePage
	p.words(b)
	return p.Title
}

// Substance is the fingerprint of what a transaction does.
func Substance(f *plan.Facts) string { return substance(f) }
