package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// maxBody bounds a request body.
const maxBody = 1 << 20

// ReadJSON reads one small JSON object strictly; false means answered already.
func ReadJSON[T any](w http.ResponseWriter, r *http.Request, into *T) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		WriteError(w, http.StatusUnsupportedMediaType, "send application/json")
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		WriteError(w, http.StatusRequestEntityTooLarge, "the body is too large")
		return false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil || d.More() {
		WriteError(w, http.StatusBadRequest, "the body is not the JSON object this endpoint takes")
		return false
	}
	return true
}

// WriteJSON answers with a value that nobody may keep.
func WriteJSON[T any](w http.ResponseWriter, code int, v T) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

// WriteError answers with what was wrong with a request.
func WriteError(w http.ResponseWriter, code int, message string) {
	type body struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	}
	WriteJSON(w, code, map[string]body{"error": {Kind: string(fault.InputInvalid), Message: message}})
}
