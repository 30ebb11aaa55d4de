package web

import "net/http"

// trustedTypes forbids every way to turn text into markup or script. It is one
// constant because an extension wallet that cannot live with it would need
// these two directives, and only these, taken out.
const trustedTypes = "; require-trusted-types-for 'script'; trusted-types 'none'"

const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" + trustedTypes

// Hardening returns what is sent with every answer, errors and streams included. There is no
// CORS header among them: no other origin has any business here.
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
