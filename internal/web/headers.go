package web

import "net/http"

// trustedTypes forbids turning text into markup or script. It is a separate constant so that only
// these two directives must be removed if a wallet extension cannot work with them.
const trustedTypes = "; require-trusted-types-for 'script'; trusted-types 'none'"

const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" + trustedTypes

// Hardening returns the headers that are sent with every response, including errors and streams.
// They do not include CORS headers, because no other origin needs access.
func Hardening() map[string]string {
	return map[string]string{
		"Content-Security-Policy":      contentSecurityPolicy,
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
		"Permissions-Policy":           "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=()",
	}
}

func harden(h http.Header) {
	for name, value := range Hardening() {
		h.Set(name, value)
	}
}
