package floor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Newer is a version of a protocol's package Main that is newer than the pinned one. This program does
// not know its code.
type Newer struct {
	Published       sui.ObjectID
	Pinned, Version uint64 // version numbers
}

// With returns a catalog that contains only this protocol and also reads calls of a newer version of
// its package. The caller must have compared that version with the pinned one.
func (p *Protocol) With(n *Newer) *Catalog { return &Catalog{Protocols: []*Protocol{p}, newer: n} }

// Follows returns an error unless the function may be called in an unknown version of its package. A
// minimum in the transaction must limit what unknown code can take. The code may receive coins that
// were split off for it, but nothing else of the account.
func (f *Function) Follows() error {
	//mutant:never ./internal/protocol/floor TestFollows
	if f.Explain || f.Floor == nil || len(f.in) != 1 || len(f.Gives) > 0 {
		return errors.New("the transaction sets no minimum for what it pays")
	}
	//mutant:never ./internal/protocol/floor TestFollows
	if slices.ContainsFunc(f.protocol.Functions, Function.claims) {
		return errors.New("the protocol keeps what the account supplied under its address")
	}
	for _, s := range f.Steps {
		if s.Optional && len(s.only) == 0 {
			continue // never built
		}
		if s.Package != Main {
			return errors.New("it calls a second package")
		}
		if slices.ContainsFunc(s.out, func(o output) bool { return o.kind == formObject }) {
			return errors.New("it makes an object of the account")
		}
		for _, a := range s.args {
			//mutant:never ./internal/protocol/floor TestFollows
			if a.kind == argOwn || a.kind == argAddress || a.kind == argCoins {
				return errors.New("it gets an object or an address of the account")
			}
		}
	}
	return nil
}

// Unchanged returns an error if a function that this program calls differs between the pinned version
// of the package and a newer one, or from the description.
func (f *Function) Unchanged(pinned, newer sui.Interface) error {
	for i := range f.Steps {
		s := &f.Steps[i]
		if s.Optional && len(s.only) == 0 {
			continue
		}
		if err := f.confirm(i, newer); err != nil {
			return err
		}
		module, name := splitName(s.Fn)
		a, _ := find(pinned, module, name)
		b, _ := find(newer, module, name)
		//mutant:never ./internal/protocol/floor TestUnchanged
		if a.TypeParams != b.TypeParams || !slices.Equal(a.Parameters, b.Parameters) || !slices.Equal(a.Returns, b.Returns) {
			return fmt.Errorf("%s has another signature", s.Fn)
		}
	}
	return nil
}

// claims reports whether a function pays out something that the protocol holds under the sender's
// address: it returns a coin, but takes neither a coin nor an object.
func (f Function) claims() bool {
	return f.Floor != nil && len(f.in) == 0 && !f.TakesObject()
}

// TakesObject reports whether a call takes an object of the account other than a coin.
func (f Function) TakesObject() bool {
	return slices.ContainsFunc(f.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.args, func(a argument) bool { return a.kind == argOwn })
	})
}

// version reports whether a step may call the package called. It must be the pinned one or, if the
// first call used the newer one, the newer one.
func (e *engine) version(s *Step, called sui.ObjectID) bool {
	pinned := e.f.protocol.Packages[s.Package].Published
	if e.newer == nil || s.Package != Main || s.Optional && len(s.only) == 0 { // never compared with a newer one
		return called == pinned
	}
	if called == e.newer.Published && (e.out.Newer != nil || !e.started()) {
		e.out.Newer = e.newer
	}
	if e.out.Newer != nil {
		return called == e.newer.Published
	}
	return called == pinned
}

// bounded returns an error if a transaction must not call the newer version that it calls. Whatever
// the description says, the call must take no object of the account, and everything that it returns
// must have a minimum.
func (e *engine) bounded() error {
	if e.out.Newer == nil {
		return nil
	}
	if err := e.f.Follows(); err != nil {
		return refuse(NewVersion, "It calls an unknown newer version of %s, which is refused: %s.", e.f.protocol.Name, err)
	}
	//mutant:never ./internal/protocol/floor TestNewerIsBounded
	if len(e.out.Own)+len(e.out.Named)+len(e.out.Gives) > 0 {
		return refuse(NewVersion, "It gives an object or an address to an unknown newer version of %s.", e.f.protocol.Name)
	}
	//mutant:never ./internal/protocol/floor TestNewerIsBounded
	if e.unbounded() {
		return refuse(NewVersion, "It calls an unknown newer version of %s without a minimum.", e.f.protocol.Name)
	}
	return nil
}
