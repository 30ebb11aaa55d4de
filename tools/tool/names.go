package tool

import (
	"slices"
	"strings"
)

// Status is how far a caller can get with what a tool prepares.
type Status string

// Statuses of a tool. BlockedSigning is implemented but never signs: the result can only be signed
// on the review page. The result of NonSignable cannot be signed anywhere. Planned is a name
// without a tool.
const (
	Implemented    Status = "implemented"
	BlockedSigning Status = "blocked_signing"
	NonSignable    Status = "non_signable_review"
	Planned        Status = "planned"
)

// MarkPlanned returns the tools with marked guidance: a follow-up that names a planned tool is
// marked as not yet available.
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

// Underscored returns a name in the spelling for clients that do not accept dots.
func Underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }
