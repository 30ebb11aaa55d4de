package managed

import (
	"encoding/binary"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Event gives the value of the first event of one of DeepBook's own types that an
// executed transaction's sender caused, at least least bytes of it; nil where a
// node told none. Types are named by the package that first defined them.
func Event(e sui.Executed, module, name string, least int) []byte {
	want := sui.StructTag{Address: registry.OriginalPackage, Module: module, Name: name}.String()
	for _, one := range e.Events {
		if one.Type == want && one.Sender == e.Sender && len(one.Contents) >= least {
			return one.Contents
		}
	}
	return nil
}

// U64 reads a number out of an event's value.
func U64(value []byte, at int) uint64 { return binary.LittleEndian.Uint64(value[at:]) }
