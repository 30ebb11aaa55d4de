package settings

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/policy"
)

// Switch is a setting that is on or off, and off by default. Turning it on needs a confirmation,
// because it allows access.
type Switch int

// The switches.
const (
	Material Switch = iota // transactions built by other programs may be sent here
	HTTP                   // AI clients may connect over HTTP
)

// Switches is the number of switches, for arrays indexed by Switch.
const Switches = Switch(len(switches))

// Words are texts for a switch that is off, and for one that is on.
type Words [2]string

// For returns the text for a state.
func (w Words) For(on bool) string {
	if on {
		return w[1]
	}
	return w[0]
}

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
	Button  Words
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
		Button: Words{"Allow external transaction material", "Stop taking it"},
		Change: Words{"not taken", "taken, read and built again"},
		Warning: "Not saved yet. A program with a token may then send transactions here. Only payments and swaps that this program " +
			"understands whole become reviews, which you read and sign, or do not."},
	HTTP: {Code: "http", Key: "mcp_http", Title: "AI clients over HTTP", Flag: "--http",
		Hint: "An AI client on this computer can connect to %s instead of starting Say Ur Intent. It needs a token of its own, " +
			"made above. Web pages and other machines cannot connect. While this is on, Say Ur Intent keeps running.",
		State: Words{"off", "on"}, Says: Words{"Turned off.", "Turned on."},
		Button: Words{"Turn on HTTP", "Turn off HTTP"}, Change: Words{"refused", "served, with a token"},
		Warning: "Not saved yet. A program on this computer that has a token for an AI client can then use every tool, as an AI client that " +
			"starts Say Ur Intent does. It cannot sign or change settings."},
}

// Info returns the switch's declaration.
func (w Switch) Info() SwitchInfo { return switches[w] }

// On reports whether a switch is on, by its setting or the command line.
func (s *Service) On(ctx context.Context, w Switch) (bool, error) {
	stored, err := s.c.Store.Settings(ctx)
	return err == nil && (s.c.Forced[w] || stored.Switches[w]), err
}

// Turn stores a switch's state. Turning it on needs confirm, which comes from the Outcome of the
// first call. The rights are checked in the transaction.
func (s *Service) Turn(ctx context.Context, w Switch, on bool, confirm string, rights ...Right) (Outcome, error) {
	about := w.Info()
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if present.Switches[w] == on {
		return Outcome{Done: true, Says: "That is what is stored already. Nothing changed."}, nil
	}
	out := Outcome{Changes: []policy.Change{{Name: about.Title, Old: about.Change.For(!on), New: about.Change.For(on),
		Looser: on}}}
	if out.Confirm, err = Confirmation(about.Code, !on, on); err != nil {
		return Outcome{}, err
	}
	//mutant:never ./internal/settings TestMaterial
	if on && confirm != out.Confirm {
		out.Says = about.Warning
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if stored.Switches[w] == on {
			return Outdated()
		}
		stored.Switches[w] = on
		return nil
	})
	out.Confirm, out.Done, out.Says = "", err == nil, "Saved. It holds at once."
	return out, err
}
