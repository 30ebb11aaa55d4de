package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestLogRedactsByValue(t *testing.T) {
	token := strings.Repeat("aB3_", 10) + "xyz"
	material := strings.Repeat("QUJD", 30)
	hexMaterial := strings.Repeat("ab", 70)
	var out bytes.Buffer
	log := newLog(&out)
	log.Info("opened "+token, "link", "http://127.0.0.1:1/review/x#"+token, "cause", errors.New("bytes "+material), "hex",
		hexMaterial)
	for _, secret := range []string{token, material, hexMaterial} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	address := "0x" + strings.Repeat("ab", 32)
	out.Reset()
	log.Info("asked", "address", address)
	if !strings.Contains(out.String(), address) {
		t.Error("an address is no secret and belongs in the log")
	}
}
