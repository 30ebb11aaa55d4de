package settings_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/settings"
)

func TestSharing(t *testing.T) {
	s, _ := service(t)
	stored := func() settings.Sharing {
		t.Helper()
		v, err := s.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v.Sharing
	}
	if stored() != (settings.Sharing{}) {
		t.Fatal("something is shared by default")
	}
	on := settings.Sharing{On: true, URL: "nats://a.example:4222", Credentials: "/home/me/n.creds", Profile: "home"}
	typed := on
	typed.URL = " nats://a.example:4222, "
	asked, err := s.SetSharing(t.Context(), typed, "")
	if err != nil || asked.Done || asked.Confirm == "" || len(asked.Changes) != 1 || !asked.Changes[0].Looser ||
		stored().On {
		t.Fatalf("%+v %v", asked, err)
	}
	refused := errors.New("read only")
	if _, err := s.SetSharing(t.Context(), on, asked.Confirm,
		func(context.Context) error { return refused }); !errors.Is(err, refused) || stored().On {
		t.Error(err)
	}
	if out, err := s.SetSharing(t.Context(), on, asked.Confirm); err != nil || !out.Done || stored() != on {
		t.Errorf("%+v %v %+v", out, err, stored())
	}
	elsewhere := on
	elsewhere.URL = "tls://b.example:4222"
	if out, err := s.SetSharing(t.Context(), elsewhere, asked.Confirm); err != nil || out.Done || stored() != on {
		t.Errorf("the word for one server counts for another: %+v %v", out, err)
	}
	off := on
	off.On = false
	if out, err := s.SetSharing(t.Context(), settings.Sharing{}, ""); err != nil || !out.Done || stored() != off {
		t.Errorf("off needs no second word, and keeps the rest: %+v %v %+v", out, err, stored())
	}
	for name, change := range map[string]func(*settings.Sharing){
		"no server":              func(s *settings.Sharing) { s.URL = "" },
		"another scheme":         func(s *settings.Sharing) { s.URL = "http://a.example:4222" },
		"no host":                func(s *settings.Sharing) { s.URL = "nats://" },
		"a password":             func(s *settings.Sharing) { s.URL = "nats://me:secret@a.example:4222" },
		"a path":                 func(s *settings.Sharing) { s.URL = "nats://a.example:4222/x" },
		"too many":               func(s *settings.Sharing) { s.URL = strings.Repeat("nats://a.example:4222,", 10) },
		"a part of a path":       func(s *settings.Sharing) { s.Credentials = "n.creds" },
		"no profile":             func(s *settings.Sharing) { s.Profile = "" },
		"a profile with a point": func(s *settings.Sharing) { s.Profile = "a.b" },
	} {
		bad := on
		change(&bad)
		if out, err := s.SetSharing(t.Context(), bad, ""); err == nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
}
