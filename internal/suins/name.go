// Package suins reads SuiNS names: their spelling, the location of their records on chain, and the
// address of a record. It reads records as objects, so that two nodes can be compared, and does not
// query a name service.
package suins

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a name. MostName is the smaller of two limits: the chain's parser accepts 200
// characters, its Move code 235.
const (
	MostName = 200
	maxLabel = 63
	tld      = "sui"
)

// Name is a name in canonical form, such as "pay.alice.sui": lower-case letters, digits and inner
// hyphens, in at least two labels, the last of which is "sui".
type Name string

// Parse parses a name in any of its forms: alice.sui, pay.alice.sui, pay@alice, @alice, and * in
// place of a dot, in lower or upper case. For any other text it returns fault.InputInvalid.
func Parse(text string) (Name, error) {
	bad := fault.New(fault.InputInvalid,
		"A SuiNS name looks like alice.sui or @alice: lower-case letters, digits and inner hyphens.")
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

// isLabel reports whether the chain accepts a text as a label.
func isLabel(l string) bool {
	for i, c := range []byte(l) {
		inner := c == '-' && i > 0 && i < len(l)-1
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !inner {
			return false
		}
	}
	return len(l) > 0 && len(l) <= maxLabel
}

// parent returns a name's parent. It returns false for a name directly under "sui".
func (n Name) parent() (Name, bool) {
	_, rest, _ := strings.Cut(string(n), ".")
	return Name(rest), strings.Contains(rest, ".")
}

// bcs returns the BCS of the chain's Domain: the labels, last one first.
func (n Name) bcs() []byte {
	labels := strings.Split(string(n), ".")
	slices.Reverse(labels)
	out := binary.AppendUvarint(nil, uint64(len(labels)))
	for _, l := range labels {
		out = append(binary.AppendUvarint(out, uint64(len(l))), l...)
	}
	return out
}

// Registry describes a deployment of SuiNS: the package that its types name, the table of its records,
// and the table of the addresses' default names.
type Registry struct{ Types, Table, Reverse sui.ObjectID }

// Mainnet is the deployment on mainnet, as read from its registry object.
var Mainnet = Registry{
	Types: sui.MustAddress("0xd22b24490e0bae52676651b4f56660a5ff8022a2576e0089f79b3c88d44e08f0"),
	Table: sui.MustAddress("0xe64cd9db9f829c6cc405d9790bd71567ae07259855f4fba6f02c84f52298c106"),

	Reverse: sui.MustAddress("0x2fd099e17a292d2bc541df474f9fafa595653848cbabb2d7a4656ec786a1969f"),
}

// RecordID returns the ID of the object for a name's record, whether it exists or not.
func (r Registry) RecordID(n Name) sui.ObjectID {
	id, err := sui.DynamicFieldID(r.Table, r.domain(), n.bcs())
	if err != nil {
		panic(err) // the key type is a constant
	}
	return id
}

// ReverseID returns the ID of the object for an address's default name, whether it exists or not.
func (r Registry) ReverseID(a sui.Address) sui.ObjectID {
	id, err := sui.DynamicFieldID(r.Reverse, sui.MustTypeTag("address"), a[:])
	if err != nil {
		panic(err) // the key type is a constant
	}
	return id
}

// ReverseType returns the type of all default name objects.
func (r Registry) ReverseType() sui.TypeTag {
	return sui.MustTypeTag("0x2::dynamic_field::Field<address," + r.domain().String() + ">")
}

func (r Registry) domain() sui.TypeTag { return sui.MustTypeTag(r.Types.String() + "::domain::Domain") }

// RecordType returns the type of all record objects.
func (r Registry) RecordType() sui.TypeTag {
	return sui.MustTypeTag("0x2::dynamic_field::Field<" + r.domain().String() + "," + r.Types.String() +
		"::name_record::NameRecord>")
}
