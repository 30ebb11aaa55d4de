package main

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/store"
)

// records lists damaged records in the database, and what to do about them.
func (d *doctor) records(in store.Inspection) {
	if len(in.Damaged) == 0 {
		return
	}
	var named []string
	var released, settings bool
	for _, r := range in.Damaged {
		row := r.Row
		if row == "" {
			row = "(its key cannot be read)"
		}
		named = append(named, fmt.Sprintf("%s %s: %s", strings.ReplaceAll(r.Table, "_", " "), row, r.Reason))
		released = released || r.Table == "reviews" || r.Table == "releases"
		settings = settings || r.Table == "settings"
	}
	count := fmt.Sprint(len(named))
	if in.MoreDamage {
		count = "more than " + count
	}
	next := "Nothing else is affected. Something outside changed the database, or the disk is failing. "
	switch {
	case settings:
		next += "Erase everything on the settings page, then set your limits again."
	case released:
		next += "Transactions that depend on such a record are not released. To remove the records, back up your settings on the settings page, " +
			"save your receipts as CSV on the home page, and check your wallet for open transactions. Then move the data directory away, start again, and restore the backup."
	default:
		next += "Create the affected reviews or connections again."
	}
	d.warn("records", fmt.Sprintf("Damaged and set aside (%s): %s.", count, strings.Join(named, "; ")), next)
}
