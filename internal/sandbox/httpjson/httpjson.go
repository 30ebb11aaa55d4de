// Package httpjson reads and writes the small JSON bodies of the sandbox's HTTP
// endpoints.
package httpjson

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// maxBody is the maximum size of a request body.
const maxBody = 1 << 20

// Read strictly reads a small JSON object. If it returns false, it has already answered the request.
func Read[T any](w http.ResponseWriter, r *http.Request, into *T) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		Error(w, http.StatusUnsupportedMediaType, "send application/json")
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		Error(w, http.StatusRequestEntityTooLarge, "the body is too large")
		return false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil || d.More() {
		Error(w, http.StatusBadRequest, "the body is not the JSON object this endpoint takes")
		return false
	}
	return true
}

// Write sends a value that must not be cached.
func Write[T any](w http.ResponseWriter, code int, v T) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

// Error sends an error message.
func Error(w http.ResponseWriter, code int, message string) {
	type body struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	}
	Write(w, code, map[string]body{"error": {Kind: string(fault.InputInvalid), Message: message}})
}
