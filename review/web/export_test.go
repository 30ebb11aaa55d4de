package web

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/wschat"
	"github.com/sayurintent/sayurintent/review/plan"
)

// RouteLine is one line of the route table, for tests that walk it.
type RouteLine struct {
	Method, Path           string
	Open, Code, ActiveOnly bool
	JSON                   bool
	Kind                   pagetoken.Kind
}

// RouteTable returns every route, that of the sandbox included.
func RouteTable() []RouteLine {
	return linesOf(slices.Concat(routes(), settingsRoutes(), doorRoutes(), agentRoutes(), keyRoutes(),
		socketRoutes(), socketSettingsRoutes(), remoteRoutes(), bookRoutes(), consoleRoutes(), bundleRoutes(),
		projectRoutes(), []route{sandboxRoute}))
}

// Mounted returns every route that s answers.
func (s *Server) Mounted() []RouteLine { return linesOf(s.routes) }

func linesOf(routes []route) (out []RouteLine) {
	for _, rt := range routes {
		out = append(out, RouteLine{rt.method, rt.path, rt.right == open, rt.right == withCode || rt.right == publicly, rt.right == withActive, rt.json, rt.kind})
	}
	return out
}

// Hardening returns the headers that every answer must have.
func Hardening() map[string]string {
	out := map[string]string{}
	for _, line := range hardening {
		out[line[0]] = line[1]
	}
	return out
}

// BundleTitle is the headline of a bundle's page.
func BundleTitle(b request.Request) string {
	var p bundlePage
	p.words(b)
	return p.Title
}

// SetHeartbeat makes streams of s speak more often, for tests.
func (s *Server) SetHeartbeat(d time.Duration) { s.heartbeat = d }

// SetTiming makes sockets of s wait less long, for tests.
func (s *Server) SetTiming(t wschat.Timing) { s.timing = t }

// SetHold makes a frontend of s wait less long for work, for tests.
func (s *Server) SetHold(d time.Duration) { s.hold = d }

// Asset returns an embedded file.
func Asset(name string) ([]byte, error) { return assetFiles.ReadFile("assets/" + name) }

// AssetNames lists the embedded files.
func AssetNames() ([]string, error) {
	entries, err := assetFiles.ReadDir("assets")
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, err
}

// Shown is the sanitiser of text of unknown authors.
func Shown(s string, most int) string { return shown(s, most) }

// Spaced groups digits.
func Spaced(s string) string { return spaced(s) }

// Groups cuts an address into what the pages show of it.
func Groups(address string) []string { return groups(address, len("0x1234")) }

// Substance is the fingerprint of what a transaction does.
func Substance(f *plan.Facts) string { return substance(f) }

// Grouped groups the digits of the numbers in a text.
func Grouped(s string) string { return grouped(s) }

// ShortType is how a coin type is written.
func ShortType(t string) string { return shortType(t) }

// Prose cuts a sentence into its parts.
func Prose(s string) []piece { return prose(s) }

// Together puts the parts of a sentence together again.
func Together(parts []piece) (s string) {
	for _, p := range parts {
		s += p.Text + p.Address
	}
	return s
}
