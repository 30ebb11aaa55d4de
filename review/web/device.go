package web

import "github.com/sayurintent/sayurintent/internal/sui"

// deviceShows says what a hardware wallet shows.
var deviceShows = map[sui.OnDevice]string{
	sui.DeviceShowsAmounts: "A hardware wallet will show the amounts.",
	sui.DeviceKnowsCoin:    "A hardware wallet will show the amount if it knows the coin, and otherwise only this code.",
	sui.DeviceShowsHash:    "A hardware wallet will show only this code.",
}

// device returns what a hardware wallet shows of the transaction at hand.
func (l look) device() *device {
	return &device{Shows: deviceShows[l.Transaction.OnDevice()], Code: "0x" + l.SigningHash.String(), Groups: l.SigningHash.Groups()}
}
