package tool

import (
	"slices"
	"strings"
)

// Status is what a caller can do with what a tool prepares.
type Status string

// The statuses. BlockedSigning is implemented but never signs: what it prepares can only be signed
// on the review page. What NonSignable prepares cannot be signed anywhere. Planned is a name
// without a tool.
const (
	Implemented    Status = "implemented"
	BlockedSigning Status = "blocked_signing"
	NonSignable    Status = "non_signable_review"
	Planned        Status = "planned"
)

// MarkPlanned returns the tools with their guidance marked: a follow-up to one of
// the planned names says that the tool does not exist yet.
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

// Underscored returns the spelling of a name for clients that refuse dots.
func Underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }
