package settings

import (
	"context"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// mostURL is the maximum length of an address in bytes.
const mostURL = 300

// Endpoint is a parsed address in canonical form.
type Endpoint struct {
	URL  string // scheme://host[:port][/path], lower case except for the path
	Host string // a name, or an IP address without brackets
	IP   netip.Addr
}

// Loopback reports whether the endpoint is a numeric loopback address.
func (e Endpoint) Loopback() bool { return e.IP.IsValid() && e.IP.IsLoopback() }

// ParseEndpoint parses an address typed by a user or from a backup. It must be https, or http to a
// numeric loopback address, without user, query or fragment. It may have a path only if the service
// has one, and port 443 or from 1024. A numeric address must be Public or loopback. The error is
// fault.InputInvalid and says what to write instead.
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
			return bad("has an invalid character; write an internationalized name in its xn-- form.")
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Host == "" {
		return bad("is invalid. Its form is https://host[:port].")
	}
	switch {
	case u.User != nil:
		return bad("contains a user name or password. Credentials in addresses are not supported.")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return bad("must not contain ? or #. Remove everything after it.")
	case !w.Info().Path && strings.Trim(u.Path, "/") != "":
		return bad("must be only a host and a port, without a path.")
	case u.RawPath != "" || strings.Contains(u.Path, "//") || strings.Contains(u.Path, ".."):
		return bad("has an ambiguous path. Write it without escapes or dots.")
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

// judge parses the host. It rejects names that a resolver could interpret as a number, such as
// 0x7f.1 or 2130706433.
func (e Endpoint) judge(w Which, scheme string) (Endpoint, error) {
	bad := func(format string, args ...any) (Endpoint, error) {
		return Endpoint{}, fault.New(fault.InputInvalid, "The "+w.Info().Name+" "+format, args...).With("field", w.String())
	}
	ip, err := netip.ParseAddr(e.Host)
	if err == nil {
		if ip.Zone() != "" {
			return bad("names a network interface. Remove everything from the percent sign on.")
		}
		e.IP = ip.Unmap()
		e.Host = e.IP.String()
	} else if last := e.Host[strings.LastIndexByte(strings.TrimSuffix(e.Host, "."), '.')+1:]; !nameLike(e.Host) ||
		strings.Trim(strings.TrimSuffix(last, "."), "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return bad("has an invalid host. Use a name or a plain numeric address.")
	}
	switch {
	case scheme != "https" && scheme != "http":
		return bad("must start with https://, or with http:// for this machine.")
	case scheme == "http" && !e.Loopback():
		return bad("needs https://. Only on this machine can it be http://127.0.0.1:port.")
	case here(e.Host):
		return bad("uses a name for this machine. Write 127.0.0.1 instead.")
	case e.IP.IsValid() && !e.Loopback() && !Public(e.IP):
		return bad("is %s, which is inside a private or reserved network. It must be on the public internet, or on "+
			"this machine as 127.0.0.1.", e.IP)
	}
	return e, nil
}

// here reports whether a name is a local name of this machine, with or without a final dot.
func here(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// nameLike reports whether the host contains only characters of DNS names.
func nameLike(host string) bool {
	if len(host) > 253 || host == "" || host[0] == '.' || strings.Contains(host, "..") {
		return false
	}
	return strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._") == "" && strings.Contains(host, ".") ||
		host == "localhost"
}

// portOf returns ":port", or "" for the scheme's default port.
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
		return "", fault.New(fault.InputInvalid, "The port of the %s must be a number from 1 to 65535.",
			w.Info().Name).With("field", w.String())
	case n < 1024 && n != 443:
		return "", fault.New(fault.InputInvalid,
			"Port %d belongs to another service. The %s must use port 443, or one from 1024.",
			n, w.Info().Name).With("field", w.String())
	case n == 443 && u.Scheme == "https":
		return "", nil
	}
	return ":" + text, nil
}

// reserved lists ranges that are not public: IANA's special-purpose registries, and ranges that
// embed an IPv4 address, which can be private.
var reserved = [...]string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
}

// Public reports whether a node on the internet can have the address. It is false for private,
// loopback, link-local (such as cloud metadata), multicast, reserved and documentation addresses,
// and for embedded IPv4 addresses.
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

// Reach checks an address that is about to be dialed for the endpoint, because a name can resolve
// differently than when it was checked.
func (e Endpoint) Reach(a netip.Addr) error {
	if a = a.Unmap(); e.Loopback() && a == e.IP || !e.Loopback() && Public(a) {
		return nil
	}
	return fault.New(fault.InputInvalid, "%s resolves to %s, which is in a private or reserved network. It is not used.",
		e.Host, a)
}

// Resolver resolves names, like net.Resolver.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Prober asks a node for the identifier of its chain. It dials only addresses that the endpoint
// reaches. It returns fault.NetworkMismatch for a node of another chain than this server's.
type Prober interface {
	ChainOf(ctx context.Context, w Which, e Endpoint) (string, error)
}

// Examine parses an address, resolves its name and asks the service for its chain. The chain is ""
// for a service that cannot be asked.
func (s *Service) Examine(ctx context.Context, w Which, text string) (Endpoint, string, error) {
	e, err := ParseEndpoint(w, text)
	if err != nil {
		return Endpoint{}, "", err
	}
	if !e.IP.IsValid() {
		addresses, err := s.c.Resolver.LookupNetIP(ctx, "ip", e.Host)
		if err != nil || len(addresses) == 0 {
			return Endpoint{}, "", fault.Wrap(err, fault.ProviderUnavailable,
				"Cannot look up the name %s. Check its spelling and your connection; nothing was saved.", e.Host).With("field",
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

// Shown returns an address without parts that could be secret: user, query, fragment, and any path
// except /graphql.
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
