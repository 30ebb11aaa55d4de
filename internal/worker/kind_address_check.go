package worker

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

type addressIn struct {
	Address string `json:"address"`
}

type addressOut struct {
	Address string   `json:"address"`
	Names   []string `json:"names"` // names that the address book has for the address
	// LooksLike is an entry of the book with a similar but different address.
	LooksLike *alike `json:"looks_like,omitempty"`
}

type alike struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// addressCheck reports whether the address book contains an address or one that looks like it.
func (s Sources) addressCheck(ctx context.Context, _ string, payload json.RawMessage) (any, error) {
	in, err := read[addressIn](payload)
	if err != nil {
		return nil, err
	}
	a, err := sui.ParseAccount(in.Address)
	if err != nil {
		return nil, fault.As(err).With("field", "address")
	}
	name, err := s.Name(ctx, a.String())
	if err != nil {
		return nil, err
	}
	out := addressOut{Address: a.String(), Names: append([]string{}, name.Titles...)}
	if name.Own != "" {
		out.Names = append(out.Names, name.Own)
	}
	if e := name.Alike; e.ID != "" {
		out.LooksLike = &alike{e.Title, e.Address}
	}
	return out, nil
}
