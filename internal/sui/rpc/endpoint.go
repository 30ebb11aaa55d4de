package rpc

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// endpoint returns the host:port of a node address, and whether the connection uses plaintext. Only a
// numeric loopback address may use plaintext.
func endpoint(text string) (target string, plain bool, err error) {
	bad := func(format string, args ...any) (string, bool, error) {
		return "", false, fault.New(fault.InputInvalid, format, args...)
	}
	if text == "" || len(text) > 300 {
		return bad("A node address is https://host[:port], or http://127.0.0.1:port for a node on this machine.")
	}
	full := text
	if !strings.Contains(text, "://") {
		full = "https://" + text
	}
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return bad("The node address is invalid. Its form is https://host[:port].")
	}
	if u.User != nil {
		return bad("The node address contains a user name or password, which is not supported.")
	}
	if (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return bad("The node address must be only a host and a port, without path or query.")
	}
	ip, ipErr := netip.ParseAddr(u.Hostname())
	switch u.Scheme {
	case "https":
	case "http":
		if ipErr != nil || !ip.IsLoopback() || ip.Zone() != "" {
			return bad("A node without TLS is allowed only on this computer: http://127.0.0.1:port or http://[::1]:port.")
		}
		plain = true
	default:
		return bad("The node address must start with https://, or http:// for a node on this machine.")
	}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "443", true: "80"}[plain]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return bad("The port of the node address is not a number from 1 to 65535.")
	}
	return net.JoinHostPort(u.Hostname(), port), plain, nil
}
