package settings

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Sharing configures whether AI clients on other machines are served, and over which NATS server.
// The zero value was never set; turning sharing off keeps its values.
type Sharing struct {
	On bool `json:"on,omitempty"`
	// URL is the server's address, or the comma-separated addresses of a cluster.
	URL string `json:"url"`
	// Credentials is the path of a credentials file, or "".
	Credentials string `json:"credentials,omitempty"`
	// Profile is the name by which other machines find this one.
	Profile string `json:"profile"`
}

// Limits of the values.
const (
	mostServers = 9
	mostPath    = 1000
)

// Check returns fault.InputInvalid for an invalid value. The text says what to write instead.
func (s Sharing) Check() error {
	bad := func(field, format string, args ...any) error {
		return fault.New(fault.InputInvalid, format, args...).With("field", field)
	}
	list := strings.Split(s.URL, ",")
	if len(list) > mostServers {
		return bad("url", "Name at most %d servers.", mostServers)
	}
	for _, text := range list {
		u, err := url.Parse(text)
		switch {
		case err != nil || len(text) > mostURL || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls":
			return bad("url",
				"Write the NATS server as nats://host:4222 or tls://host:4222, and separate those of a cluster by commas.")
		//mutant:never ./internal/settings TestSharing
		case u.User != nil:
			return bad("url", "Remove the name and password from the address, and use a credentials file instead.")
		case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
			strings.ContainsFunc(text, unprintable):
			return bad("url", "The address of the NATS server must end after its port.")
		}
	}
	if s.Credentials != "" && (!filepath.IsAbs(s.Credentials) || len(s.Credentials) > mostPath ||
		strings.ContainsFunc(s.Credentials, unprintable)) {
		return bad("credentials", "Write the absolute path of the credentials file.")
	}
	return remotes.CheckProfile(s.Profile)
}

func unprintable(r rune) bool { return r < ' ' || r == 0x7f }

// trimmed removes white space around addresses and names.
func (s Sharing) trimmed() Sharing {
	var list []string
	for text := range strings.SplitSeq(s.URL, ",") {
		list = append(list, strings.TrimSpace(text))
	}
	s.URL = strings.Join(slices.DeleteFunc(list, func(text string) bool { return text == "" }), ",")
	s.Credentials, s.Profile = strings.TrimSpace(s.Credentials), strings.TrimSpace(s.Profile)
	return s
}

// words describes what is shared.
func (s Sharing) words() string {
	if !s.On {
		return "off"
	}
	out := "on, as " + s.Profile + ", over " + s.URL
	if s.Credentials != "" {
		out += ", with the credentials in " + s.Credentials
	}
	return out
}

// SetSharing turns sharing on with the values of to, or off, which keeps the values. Turning it on
// or changing the server needs confirm, which comes from the Outcome of the first call. The rights
// are checked in the transaction.
func (s *Service) SetSharing(ctx context.Context, to Sharing, confirm string, rights ...Right) (Outcome, error) {
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	from := present.Sharing
	if to = to.trimmed(); to.On {
		if err := to.Check(); err != nil {
			return Outcome{}, err
		}
	} else {
		to = from
		to.On = false
	}
	if from == to {
		return Outcome{Done: true, Says: "That is what is stored already. Nothing changed."}, nil
	}
	out := Outcome{Changes: []policy.Change{{Name: "Sharing with other machines", Old: from.words(), New: to.words(),
		Looser: to.On}}}
	if out.Confirm, err = Confirmation("sharing", from, to); err != nil {
		return Outcome{}, err
	}
	//mutant:never ./internal/settings TestSharing
	if to.On && confirm != out.Confirm {
		out.Says = "Not shared yet. Machines that you admit on this page can then use this program through the server, within what you let " +
			"each of them do. The server sees that they talk, not what they say."
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if stored.Sharing != from {
			return Outdated()
		}
		stored.Sharing = to
		return nil
	})
	out.Confirm, out.Done, out.Says = "", err == nil, "Saved. Whether the server is reached is shown above."
	if !to.On {
		out.Says = "Sharing is off. What other machines had open has ended."
	}
	return out, err
}
