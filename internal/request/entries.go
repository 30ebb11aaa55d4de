package request

import (
	"cmp"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Kinds of record entries about a request. docs/RECORD.md describes their members.
const (
	EntryAsked   = "asked"   // a client or the user created the request
	EntryDecided = "decided" // the user approved or rejected the request, or it ended
)

// asked is the content of an EntryAsked.
type asked struct {
	Request ID            `json:"request"`
	Network string        `json:"network"`
	Account sui.Address   `json:"account"`
	Mode    Mode          `json:"mode"`
	State   State         `json:"state"`
	Plan    string        `json:"plan,omitempty"`
	Steps   []plan.Intent `json:"steps"`
}

// decided is the content of an EntryDecided.
type decided struct {
	Request  ID       `json:"request"`
	State    State    `json:"state"`
	Approval string   `json:"approval,omitempty"`
	Accepted []string `json:"accepted,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// AskedEntry returns the record entry of a new request. client is the name of the requester, and
// title returns the user's name for an address, or "". These names, and the names and labels in the
// request, are recorded only as commitments.
func (req Request) AskedEntry(client string, title func(sui.Address) (string, error)) (hashchain.Draft, error) {
	about := asked{Request: req.ID, Network: req.Network, Account: req.Account, Mode: req.Mode, State: req.State,
		Plan: req.Plan}
	names := map[string]string{}
	put := func(field, name string) {
		if name != "" {
			names[field] = name
		}
	}
	put("client", client)
	put("label", req.Label)
	for i, s := range req.Steps {
		in := s.Intent
		at := fmt.Sprintf("steps.%d.", i)
		put(at+"label", s.Label)
		put(at+"recipientName", in.RecipientName)
		if to, err := sui.ParseAccount(in.Recipient); err == nil {
			called, err := title(to)
			if err != nil {
				return hashchain.Draft{}, err
			}
			put(at+"recipientTitle", called)
		}
		in.RecipientName, in.Asked, in.Steps = "", "", nil
		in.Protocol = cmp.Or(in.Protocol, s.Protocol)
		about.Steps = append(about.Steps, in)
	}
	return hashchain.Draft{What: EntryAsked, About: about, Names: names}, nil
}

// Entries returns the record entries of a change of the request.
func (req Request) Entries(before Request) []hashchain.Draft {
	if req.State == before.State {
		return nil
	}
	d := decided{req.ID, req.State, req.Approval, req.Accepted, req.Reason}
	return []hashchain.Draft{{What: EntryDecided, About: d}}
}
