// Package suins reads names of SuiNS: what they are called, where their records lie on
// chain, and which address a record leads to. Records are read as objects, so that two
// nodes can be compared; no name service is asked.
package suins

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Bounds of a name. MostName is the shorter of two limits: the chain's parser takes 200
// characters, its Move code 235.
const (
	MostName  = 200
	mostLabel = 63
	tld       = "sui"
)

// Name is a name in its one spelling, such as "pay.alice.sui": small letters, digits
// and inner hyphens, at least two labels, the last of them "sui".
type Name string

// Parse reads a name in any of its spellings: alice.sui, pay.alice.sui, pay@alice,
// @alice, and * in place of a dot, in small or capital letters. Any other text is
// fault.InputInvalid.
func Parse(text string) (Name, error) {
	bad := fault.New(fault.InputInvalid,
		"A SuiNS name is like alice.sui or @alice: small letters, digits and inner hyphens.")
	if strings.ContainsFunc(text, func(c rune) bool { return c > '~' }) {
		return "", bad
	}
	full := strings.ToLower(text)
	if sub, owner, at := strings.Cut(full, "@"); at {
		if strings.ContainsAny(owner, ".*@") {
			return "", bad
		}
		full = strings.TrimPrefix(sub+"."+owner+"."+tld, ".")
	}
	if len(text) > MostName || strings.Contains(full, ".") && strings.Contains(full, "*") {
		return "", bad
	}
	full = strings.ReplaceAll(full, "*", ".")
	labels := strings.Split(full, ".")
	if len(labels) < 2 || labels[len(labels)-1] != tld || slices.ContainsFunc(labels,
		func(l string) bool { return !isLabel(l) }) {
		return "", bad
	}
	return Name(full), nil
}

// isLabel reports whether the chain takes a text as one label.
func isLabel(l string) bool {
	for i, c := range []byte(l) {
		inner := c == '-' && i > 0 && i < len(l)-1
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !inner {
			return false
		}
	}
	return len(l) > 0 && len(l) <= mostLabel
}

// parent returns the name that a name belongs to; false for a name right under "sui".
func (n Name) parent() (Name, bool) {
	_, rest, _ := strings.Cut(string(n), ".")
	return Name(rest), strings.Contains(rest, ".")
}

// bcs returns the chain's Domain: the labels, last first.
func (n Name) bcs() []byte {
	labels := strings.Split(string(n), ".")
	slices.Reverse(labels)
	out := binary.AppendUvarint(nil, uint64(len(labels)))
	for _, l := range labels {
		out = append(binary.AppendUvarint(out, uint64(len(l))), l...)
	}
	return out
}

// Registry is a deployment of SuiNS: the package that its types are named after, the
// table of its records, and that of the names that addresses chose for themselves.
type Registry struct{ Types, Table, Reverse sui.ObjectID }

// Mainnet is the deployment on mainnet, as read from its registry object.
var Mainnet = Registry{
	Types: sui.MustAddress("0xd22b24490e0bae52676651b4f56660a5ff8022a2576e0089f79b3c88d44e08f0"),
	Table: sui.MustAddress("0xe64cd9db9f829c6cc405d9790bd71567ae07259855f4fba6f02c84f52298c106"),

	Reverse: sui.MustAddress("0x2fd099e17a292d2bc541df474f9fafa595653848cbabb2d7a4656ec786a1969f"),
}

// RecordID returns the object that holds the record of a name, whether there is one or not.
func (r Registry) RecordID(n Name) sui.ObjectID {
	id, err := sui.DynamicFieldID(r.Table, r.domain(), n.bcs())
	if err != nil {
		panic(err) // the type of the key is a constant
	}
	return id
}

// ReverseID returns the object that holds the name that an address chose, whether there is one or
// not.
func (r Registry) ReverseID(a sui.Address) sui.ObjectID {
	id, err := sui.DynamicFieldID(r.Reverse, sui.MustTypeTag("address"), a[:])
	if err != nil {
		panic(err) // the type of the key is a constant
	}
	return id
}

// ReverseType returns the type of every object of a chosen name.
func (r Registry) ReverseType() sui.TypeTag {
	return sui.MustTypeTag("0x2::dynamic_field::Field<address," + r.domain().String() + ">")
}

func (r Registry) domain() sui.TypeTag { return sui.MustTypeTag(r.Types.String() + "::domain::Domain") }

// RecordType returns the type of every record object.
func (r Registry) RecordType() sui.TypeTag {
	return sui.MustTypeTag("0x2::dynamic_field::Field<" + r.domain().String() + "," + r.Types.String() +
		"::name_record::NameRecord>")
}
