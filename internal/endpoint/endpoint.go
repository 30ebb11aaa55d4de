// Package endpoint decides which texts name the same service address. It judges no address
// and imports little, so that a small program can use it.
package endpoint

import (
	"net/netip"
	"strings"
)

// Canonical returns the form in which an address is stored and compared: scheme and host in
// lower case, a numeric host in its shortest form, no default port and no slash at the end.
// Text that is not such an address is returned without the space around it.
func Canonical(text string) string {
	text = strings.TrimSpace(text)
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || strings.ContainsAny(rest, `?#@\`) {
		return text
	}
	scheme = strings.ToLower(scheme)
	host, path, _ := strings.Cut(rest, "/")
	host, port := splitPort(strings.ToLower(host))
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		if ip = ip.Unmap(); ip.Is6() {
			host = "[" + ip.String() + "]"
		} else {
			host = ip.String()
		}
	}
	if scheme == "https" && port == ":443" {
		port = ""
	}
	if path = strings.TrimSuffix(path, "/"); path != "" {
		path = "/" + path
	}
	return scheme + "://" + host + port + path
}

// splitPort returns a host and its port with the colon, "" for none.
func splitPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i:]
	}
	return host, ""
}
