package connect

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// multiSigIn is a multisig account as the user typed it. Each line of Members is a public key and a
// weight.
type multiSigIn struct {
	Account   string `json:"account"`
	Members   string `json:"members"`
	Threshold uint16 `json:"threshold"`
}

// multiSig ends the session with a multisig account.
func (p *page) multiSig(c *web.Call, in multiSigIn) error {
	address, err := sui.ParseAccount(strings.TrimSpace(in.Account))
	if err != nil {
		return err
	}
	m := sui.MultiSig{Threshold: in.Threshold}
	for line := range strings.Lines(in.Members) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		one, err := sui.ParseMultiSigMember(line)
		if err != nil {
			return fault.New(fault.InputInvalid, "Member %d: %s", len(m.Members)+1, fault.As(err).Text)
		}
		m.Members = append(m.Members, one)
	}
	identity, err := p.accounts.ConnectMultiSig(c.Ctx(), c.ID, address, m)
	if err != nil {
		return err
	}
	return p.connected(c, identity)
}
