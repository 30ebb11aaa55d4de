package tool

import (
	"slices"
	"strings"
)

// Status describes whether the user can sign what a tool prepares.
type Status string

// Statuses of a tool. The result of a BlockedSigning tool can be signed only on the review page,
// and the result of a NonSignable tool cannot be signed at all. Planned is the status of a name
// without a tool.
const (
	Implemented    Status = "implemented"
	BlockedSigning Status = "blocked_signing"
	NonSignable    Status = "non_signable_review"
	Planned        Status = "planned"
)

// MarkPlanned marks each follow-up that names a planned tool, so that clients see that the tool is
// not available yet. It modifies all and returns it.
func MarkPlanned(all []Tool, planned []string) []Tool {
	for i, t := range all {
		for j, c := range t.Cases {
			if c.Use.Next != nil && slices.Contains(planned, c.Use.Next.Tool) {
				next := *c.Use.Next
				next.Missing = true
				all[i].Cases[j].Use.Next = &next
			}
		}
	}
	return all
}

// Underscored returns a tool's name in the spelling for clients that do not accept dots.
func Underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }
