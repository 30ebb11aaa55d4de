package workspace

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Withheld stands where a line is not shown.
const Withheld = "[withheld: looks like a private key or a recovery phrase]"

// secret reports a text that holds a private key or a recovery phrase in one of the
// forms in which people keep them. Encoded bytes are no reason: sources are full of them.
func secret(text string) bool {
	found, ok := screen.Find("text", text, nil)
	return ok && (found.Class == screen.SuiKey || found.Class == screen.WalletKey || found.Class == screen.Phrase)
}

// redact replaces lines that hold secrets and returns how many. A phrase that goes
// over several lines takes all lines with it that hold a part of it.
func redact(text []string) int {
	if !secret(strings.Join(text, "\n")) {
		return 0
	}
	count := 0
	for i, line := range text {
		if secret(line) {
			text[i] = Withheld
			count++
		}
	}
	if !secret(strings.Join(text, "\n")) {
		return count
	}
	for i, line := range text { // it is in no line alone
		if line != Withheld {
			text[i] = Withheld
			count++
		}
	}
	return count
}
