package settings

import (
	"context"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
)

// Switch is a setting with several positions. The first one is off, which is the default. Each
// further one allows more than those before it, and must be confirmed.
type Switch int

// Position is the position of a switch; 0 is off. In JSON, 0 and 1 are false and true.
type Position uint8

// The positions that every switch has.
const (
	Off Position = iota
	On
)

// String returns the position as in JSON.
func (p Position) String() string {
	if p > On {
		return strconv.Itoa(int(p))
	}
	return strconv.FormatBool(p == On)
}

// MarshalJSON implements json.Marshaler.
func (p Position) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (p *Position) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "false":
		*p = Off
		return nil
	case "true":
		*p = On
		return nil
	}
	n, err := strconv.ParseUint(string(text), 10, 8)
	if *p = Position(n); err != nil || *p <= On {
		return fault.New(fault.InputInvalid, "A switch is false, true, or the number of a further position.")
	}
	return nil
}

// The switches.
const (
	Material Switch = iota // transactions built by other programs may be sent here
	HTTP                   // AI clients may connect over HTTP
)

// Switches is the number of switches, for arrays indexed by Switch.
const Switches = Switch(len(switches))

// Words are texts for the positions of a switch.
type Words []string

// For returns the text for a position. Positions without a text have the last one.
func (w Words) For(p Position) string { return w[min(int(p), len(w)-1)] }

// SwitchInfo describes a switch.
type SwitchInfo struct {
	Code    string // its name in requests from pages
	Key     string // key of the stored setting
	Member  string // member in backups, or "" if they omit it
	Title   string // title on the page
	Hint    string // its purpose, in sentences; %s is the address that it opens
	Flag    string // command-line flag that turns it on, or ""
	State   Words  // label beside the title
	Says    Words  // state as a sentence
	Button  Words  // labels of the button that sets the position
	Change  Words  // state as an old or new value
	Warning string // warning before it is turned on
}

// switches declares every switch. A new one needs a constant, an entry, and its place in
// settings.html.
var switches = [...]SwitchInfo{
	Material: {Code: "material", Key: "external_material", Member: "externalMaterial",
		Title: "Transactions that other programs built",
		Hint: "A program with a token for actions may send a transaction that it built. Nothing of it is handed to your wallet: " +
			"a payment or a swap that is understood whole becomes a review, built again here, which you read and sign, or do not. " +
			"Everything else is refused.",
		State:  Words{"not taken", "taken"},
		Says:   Words{"They are not taken.", "They are taken."},
		Button: Words{"Stop taking it", "Allow external transaction material"},
		Change: Words{"not taken", "taken, read and built again"},
		Warning: "Not saved yet. A program with a token may then send transactions here. Only payments and swaps that this program " +
			"understands whole become reviews, which you read and sign, or do not."},
	HTTP: {Code: "http", Key: "mcp_http", Title: "AI clients over HTTP", Flag: "--http",
		Hint: "An AI client on this computer can connect to %s instead of starting Say Ur Intent. It needs a token of its own, " +
			"made above. Web pages and other machines cannot connect. While this is on, Say Ur Intent keeps running.",
		State: Words{"off", "on"}, Says: Words{"Turned off.", "Turned on."},
		Button: Words{"Turn off HTTP", "Turn on HTTP"}, Change: Words{"refused", "served, with a token"},
		Warning: "Not saved yet. A program on this computer that has a token for an AI client can then use every tool, as an AI client that " +
			"starts Say Ur Intent does. It cannot sign or change settings."},
}

// Info returns the switch's declaration.
func (w Switch) Info() SwitchInfo { return switches[w] }

// On reports whether a switch is on, by its setting or the command line.
func (s *Service) On(ctx context.Context, w Switch) (bool, error) {
	stored, err := s.c.Store.Settings(ctx)
	return err == nil && (s.c.Forced[w] || stored.Switches[w] > Off), err
}

// Known returns an error for a position that the switch does not have.
func (w Switch) Known(p Position) error {
	if int(p) >= len(w.Info().State) {
		return fault.New(fault.InputInvalid, "There is no such choice.")
	}
	return nil
}

// Turn stores a switch's position. A higher one needs confirm, which comes from the Outcome of the
// first call. The rights are checked in the transaction.
func (s *Service) Turn(ctx context.Context, w Switch, to Position, confirm string, rights ...Right) (Outcome, error) {
	if err := w.Known(to); err != nil {
		return Outcome{}, err
	}
	about := w.Info()
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	from := present.Switches[w]
	if from == to {
		return Outcome{Done: true, Says: "That is what is stored already. Nothing changed."}, nil
	}
	out := Outcome{Changes: []policy.Change{{Name: about.Title, Old: about.Change.For(from), New: about.Change.For(to),
		Looser: to > from}}}
	if out.Confirm, err = Confirmation(about.Code, from, to); err != nil {
		return Outcome{}, err
	}
	//mutant:never ./internal/settings TestMaterial
	if to > from && confirm != out.Confirm {
		out.Says = about.Warning
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if stored.Switches[w] != from {
			return Outdated()
		}
		stored.Switches[w] = to
		return nil
	})
	out.Confirm, out.Done, out.Says = "", err == nil, "Saved. It applies at once."
	return out, err
}
