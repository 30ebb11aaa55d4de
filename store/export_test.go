package store

// The queries whose plans are tested.
const (
	SelectLiveReviews     = selectLiveReviews
	SelectReleasedReviews = selectReleasedReviews
	SelectLiveIdentities  = selectLiveIdentities
	CountActivity         = countActivity
	SelectActivity        = selectActivity
	SelectFunnel          = selectFunnel
)
