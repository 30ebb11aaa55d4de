package settings

import (
	"context"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// mostURL bounds an address in bytes.
const mostURL = 300

// Endpoint is an address that was read and is in canonical form.
type Endpoint struct {
	URL  string // scheme://host[:port][/path], lower case except for the path
	Host string // a name, or an IP address without brackets
	IP   netip.Addr
}

// Loopback reports whether the endpoint is on this machine, by number.
func (e Endpoint) Loopback() bool { return e.IP.IsValid() && e.IP.IsLoopback() }

// ParseEndpoint reads an address typed by a user or from a backup: https, or http to a numeric
// loopback address; no user, query or fragment; a path only if the service has one; port 443 or
// from 1024. A numeric address must be Public or loopback. Anything else is fault.InputInvalid,
// which says what to write instead.
func ParseEndpoint(w Which, text string) (Endpoint, error) {
	bad := func(format string, args ...any) (Endpoint, error) {
		return Endpoint{}, fault.New(fault.InputInvalid, "The "+w.Info().Name+" "+format, args...).With("field", w.String())
	}
	text = strings.TrimSpace(text)
	if text == "" || len(text) > mostURL {
		return bad("is https://host[:port], at most %d characters.", mostURL)
	}
	for _, r := range text {
		if r <= ' ' || r > '~' || r == '\\' {
			return bad("has a character that no address has; internationalised names are written in their xn-- form.")
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Host == "" {
		return bad("cannot be read. It is https://host[:port].")
	}
	switch {
	case u.User != nil:
		return bad("holds a user name or password. Credentials in addresses are not used.")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return bad("ends before ? and #. Leave out what follows.")
	case !w.Info().Path && strings.Trim(u.Path, "/") != "":
		return bad("is a host and a port only, without a path.")
	case u.RawPath != "" || strings.Contains(u.Path, "//") || strings.Contains(u.Path, ".."):
		return bad("has a path that can be read in two ways. Write it plainly.")
	}
	e := Endpoint{Host: strings.ToLower(u.Hostname())}
	if e, err = e.judge(w, u.Scheme); err != nil {
		return Endpoint{}, err
	}
	port, err := portOf(w, u)
	if err != nil {
		return Endpoint{}, err
	}
	host := e.Host
	if e.IP.IsValid() && e.IP.Is6() {
		host = "[" + host + "]"
	}
	e.URL = strings.ToLower(u.Scheme) + "://" + host + port + strings.TrimSuffix(u.Path, "/")
	return e, nil
}

// judge reads the host. It refuses what a resolver could read as a number, such as 0x7f.1 or
// 2130706433.
func (e Endpoint) judge(w Which, scheme string) (Endpoint, error) {
	bad := func(format string, args ...any) (Endpoint, error) {
		return Endpoint{}, fault.New(fault.InputInvalid, "The "+w.Info().Name+" "+format, args...).With("field", w.String())
	}
	ip, err := netip.ParseAddr(e.Host)
	if err == nil {
		if ip.Zone() != "" {
			return bad("names a network interface. Leave out what follows the percent sign.")
		}
		e.IP = ip.Unmap()
		e.Host = e.IP.String()
	} else if last := e.Host[strings.LastIndexByte(strings.TrimSuffix(e.Host, "."), '.')+1:]; !nameLike(e.Host) ||
		strings.Trim(strings.TrimSuffix(last, "."), "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return bad("has a host that is neither a plain name nor a plain numeric address.")
	}
	switch {
	case scheme != "https" && scheme != "http":
		return bad("starts with https://, or with http:// for this machine.")
	case scheme == "http" && !e.Loopback():
		return bad("needs https://. Only on this machine can it be http://127.0.0.1:port.")
	case here(e.Host):
		return bad("names this machine by a name. Write 127.0.0.1 instead.")
	case e.IP.IsValid() && !e.Loopback() && !Public(e.IP):
		return bad("is %s, which is inside a private or reserved network. It must be on the public internet, or on "+
			"this machine as 127.0.0.1.", e.IP)
	}
	return e, nil
}

// here reports whether a name is one of this machine's own, with or without the
// dot that ends a full name.
func here(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// nameLike reports whether the host has the letters of a DNS name.
func nameLike(host string) bool {
	if len(host) > 253 || host == "" || host[0] == '.' || strings.Contains(host, "..") {
		return false
	}
	return strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._") == "" && strings.Contains(host, ".") ||
		host == "localhost"
}

// portOf returns ":port", "" for the scheme's own.
func portOf(w Which, u *url.URL) (string, error) {
	text := u.Port()
	if text == "" {
		if strings.HasSuffix(u.Host, ":") {
			return "", fault.New(fault.InputInvalid, "The %s has a colon without a port.", w.Info().Name).With("field",
				w.String())
		}
		return "", nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	switch {
	case err != nil || n == 0 || len(text) > 1 && text[0] == '0':
		return "", fault.New(fault.InputInvalid, "The port of the %s is a number from 1 to 65535.",
			w.Info().Name).With("field", w.String())
	case n < 1024 && n != 443:
		return "", fault.New(fault.InputInvalid,
			"Port %d belongs to another service. The %s has port 443, or one from 1024 on.",
			n, w.Info().Name).With("field", w.String())
	case n == 443 && u.Scheme == "https":
		return "", nil
	}
	return ":" + text, nil
}

// reserved are the ranges inside the two address families in which no public
// node can be: IANA's special-purpose registries, and the ranges that embed an
// IPv4 address, behind which anything can hide.
var reserved = [...]string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
}

// Public reports whether an address can be that of a node on the internet: not
// private, loopback, link-local (cloud metadata is there), multicast, reserved,
// for documentation, or an IPv4 address in disguise.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	if a.Is6() && !netip.MustParsePrefix("2000::/3").Contains(a) {
		return false
	}
	for _, text := range reserved {
		if netip.MustParsePrefix(text).Contains(a) {
			return false
		}
	}
	return true
}

// Reach judges the address that is about to be dialled for the endpoint: names
// may lead elsewhere than when they were checked.
func (e Endpoint) Reach(a netip.Addr) error {
	if a = a.Unmap(); e.Loopback() && a == e.IP || !e.Loopback() && Public(a) {
		return nil
	}
	return fault.New(fault.InputInvalid, "%s leads to %s, which is inside a private or reserved network. It is not asked.",
		e.Host, a)
}

// Resolver resolves names, like net.Resolver.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Prober asks a node which chain it serves. It dials only addresses that the
// endpoint reaches. A node of another chain than this server's is
// fault.NetworkMismatch. The answer is the chain's identifier as reported.
type Prober interface {
	ChainOf(ctx context.Context, w Which, e Endpoint) (string, error)
}

// Examine reads an address, looks its name up and asks the service behind it
// which chain it serves. The chain is "" for a service that cannot be asked.
func (s *Service) Examine(ctx context.Context, w Which, text string) (Endpoint, string, error) {
	e, err := ParseEndpoint(w, text)
	if err != nil {
		return Endpoint{}, "", err
	}
	if !e.IP.IsValid() {
		addresses, err := s.c.Resolver.LookupNetIP(ctx, "ip", e.Host)
		if err != nil || len(addresses) == 0 {
			return Endpoint{}, "", fault.Wrap(err, fault.ProviderUnavailable,
				"The name %s cannot be looked up. Check its spelling and your connection; nothing was saved.", e.Host).With("field",
				w.String())
		}
		for _, a := range addresses {
			if err := e.Reach(a); err != nil {
				return Endpoint{}, "", err
			}
		}
	}
	if w.Info().Proof == NoProof {
		return e, "", nil
	}
	chain, err := s.c.Prober.ChainOf(ctx, w, e)
	if err != nil {
		known := fault.As(err)
		return Endpoint{}, "", fault.Wrap(err, known.Code,
			"%s did not prove to be a node of this network, so it was not saved: %s",
			e.URL, known.Text).With("field", w.String())
	}
	return e, chain, nil
}

// Shown returns an address without what could be a secret in it: user, query,
// fragment, and any path but /graphql are left out.
func Shown(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		if strings.ContainsAny(text, "@?#/") || text == "" {
			return "an address that cannot be shown"
		}
		return text
	}
	out := u.Scheme + "://" + u.Host
	switch path := strings.TrimSuffix(u.Path, "/"); {
	case path == "/graphql":
		out += path
	case path != "":
		out += "/…"
	}
	return out
}
