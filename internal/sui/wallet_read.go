package sui

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// ParseWalletJSON reads the version-2 JSON form of a complete transaction, as written by WalletJSON and
// the official library's toJSON. It is strict: it returns fault.InputInvalid, with the path in the
// text, for unknown and repeated names, missing parts, unresolved inputs and a wrong digest.
func ParseWalletJSON(b []byte) (*Transaction, error) {
	tree, err := parseJSON(b)
	if err != nil {
		return nil, err
	}
	var r walletReader
	t, digest := r.transaction(tree)
	if r.err != nil {
		return nil, r.err
	}
	bytes, err := t.Encode()
	if err != nil {
		return nil, err
	}
	if digest != nil && *digest != TransactionDigest(bytes) {
		return nil, fault.New(fault.InputInvalid, "The transaction JSON contains a digest that is not its own.")
	}
	return t, nil
}

// walletReader walks parsed JSON and keeps the first error. Every method gets the value and its path,
// for example "commands[2].MoveCall.module".
type walletReader struct{ err error }

func (r *walletReader) fail(at, format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.InputInvalid, "The transaction JSON is wrong at %s: %s.",
			at, fmt.Sprintf(format, args...))
	}
}

// check records an error from one of this package's parsers.
func (r *walletReader) check(at string, err error) {
	if err != nil && r.err == nil {
		r.err = fault.Wrap(err, fault.InputInvalid, "The transaction JSON is wrong at %s. %s",
			at, fault.As(err).Text)
	}
}

func (r *walletReader) text(v any, at string) string {
	s, ok := v.(string)
	if !ok {
		r.fail(at, "a text is needed")
	}
	return s
}

func (r *walletReader) bool(v any, at string) bool {
	b, ok := v.(bool)
	if !ok {
		r.fail(at, "true or false is needed")
	}
	return b
}

// number reads an integer no greater than most.
func (r *walletReader) number(v any, at string, most uint64) uint64 {
	n, ok := v.(json.Number)
	i, err := strconv.ParseUint(string(n), 10, 64)
	if !ok || err != nil || i > most {
		r.fail(at, "a whole number up to %d is needed", most)
	}
	return i
}

// u64 reads decimal digits in a string, or a number that JavaScript represents exactly.
func (r *walletReader) u64(v any, at string) uint64 {
	s, ok := v.(string)
	if !ok {
		return r.number(v, at, maxSafeInteger)
	}
	n, err := ParseRaw(s)
	r.check(at, err)
	return uint64(n)
}

func (r *walletReader) optionalU64(v any, at string) *uint64 {
	if v == nil {
		return nil
	}
	n := r.u64(v, at)
	return &n
}

func (r *walletReader) address(v any, at string) Address {
	a, err := ParseAddress(r.text(v, at))
	r.check(at, err)
	return a
}

func (r *walletReader) digest(v any, at string) Digest {
	d, err := ParseDigest(r.text(v, at))
	r.check(at, err)
	return d
}

func (r *walletReader) typeTag(v any, at string) TypeTag {
	t, err := ParseTypeTag(r.text(v, at))
	r.check(at, err)
	return t
}

func (r *walletReader) bytes(v any, at string) []byte {
	b, err := base64.StdEncoding.Strict().DecodeString(r.text(v, at))
	if err != nil {
		r.fail(at, "the text is not base64")
	}
	if len(b) == 0 {
		return nil
	}
	return b
}

// fields reads an object that has all names in needed, and no others except those in allowed.
func (r *walletReader) fields(v any, at string, needed []string, allowed ...string) map[string]any {
	o, ok := v.(map[string]any)
	if !ok {
		r.fail(at, "an object is needed")
		return nil
	}
	known := len(o)
	for _, name := range needed {
		if _, ok := o[name]; !ok {
			r.fail(at, "%q is missing", name)
		}
		known--
	}
	for _, name := range allowed {
		if _, ok := o[name]; ok {
			known--
		}
	}
	if known != 0 {
		r.fail(at, "it has a name that does not belong there")
	}
	return o
}

// choice reads an object with a single name that identifies the case. The field $kind, which the
// official library keeps in memory, may repeat the name.
func (r *walletReader) choice(v any, at string, also ...string) (name string, inner any) {
	o, ok := v.(map[string]any)
	if !ok {
		r.fail(at, "an object is needed")
		return "", nil
	}
	left := len(o)
	for k := range o {
		if k == "$kind" || slices.Contains(also, k) {
			left--
		} else {
			name = k
		}
	}
	kind, marked := o["$kind"]
	if left != 1 || (marked && kind != name) {
		r.fail(at, "exactly one case is needed")
		return "", nil
	}
	return name, o[name]
}

// readList reads an array. An empty one reads as nil.
func readList[T any](r *walletReader, v any, at string, item func(any, string) T) []T {
	in, ok := v.([]any)
	if !ok {
		r.fail(at, "a list is needed")
		return nil
	}
	var out []T
	for i, e := range in {
		if r.err != nil {
			return nil
		}
		out = append(out, item(e, fmt.Sprintf("%s[%d]", at, i)))
	}
	return out
}

func (r *walletReader) transaction(v any) (*Transaction, *Digest) {
	o := r.fields(v, "the top",
		[]string{"version", "sender", "expiration", "gasData", "inputs", "commands"}, "digest")
	if n, ok := o["version"].(json.Number); r.err == nil && (!ok || n != "2") {
		r.fail("version", "only version 2 is supported")
	}
	g := r.fields(o["gasData"], "gasData", []string{"budget", "price", "owner", "payment"})
	if r.err != nil {
		return nil, nil
	}
	t := &Transaction{
		Sender: r.address(o["sender"], "sender"),
		Gas: Gas{
			Payment: readList(r, g["payment"], "gasData.payment", r.ref),
			Owner:   r.address(g["owner"], "gasData.owner"),
			Price:   r.u64(g["price"], "gasData.price"),
			Budget:  r.u64(g["budget"], "gasData.budget"),
		},
		Expiration: r.expiration(o["expiration"], "expiration"),
		Inputs:     readList(r, o["inputs"], "inputs", r.input),
		Commands:   readList(r, o["commands"], "commands", r.command),
	}
	if o["digest"] == nil {
		return t, nil
	}
	d := r.digest(o["digest"], "digest")
	return t, &d
}

func (r *walletReader) ref(v any, at string) ObjectRef {
	o := r.fields(v, at, []string{"objectId", "version", "digest"})
	if r.err != nil {
		return ObjectRef{}
	}
	return ObjectRef{
		ID:      r.address(o["objectId"], at+".objectId"),
		Version: r.u64(o["version"], at+".version"),
		Digest:  r.digest(o["digest"], at+".digest"),
	}
}

func (r *walletReader) input(v any, at string) Input {
	name, inner := r.choice(v, at)
	at += "." + name
	switch name {
	case "Pure":
		o := r.fields(inner, at, []string{"bytes"})
		return PureInput{Bytes: r.bytes(o["bytes"], at+".bytes")}
	case "Object":
		return r.object(inner, at)
	case "FundsWithdrawal":
		return r.withdrawal(inner, at)
	case "UnresolvedPure", "UnresolvedObject":
		r.fail(at, "the input is not resolved; only complete transactions are supported")
	default:
		r.fail(at, "there is no such input")
	}
	return nil
}

func (r *walletReader) object(v any, at string) Input {
	name, inner := r.choice(v, at)
	at += "." + name
	switch name {
	case "ImmOrOwnedObject":
		return OwnedInput{Ref: r.ref(inner, at)}
	case "Receiving":
		return ReceivingInput{Ref: r.ref(inner, at)}
	case "SharedObject":
		o := r.fields(inner, at, []string{"objectId", "initialSharedVersion", "mutable"})
		return SharedInput{
			ID:             r.address(o["objectId"], at+".objectId"),
			InitialVersion: r.u64(o["initialSharedVersion"], at+".initialSharedVersion"),
			Mutable:        r.bool(o["mutable"], at+".mutable"),
		}
	}
	r.fail(at, "there is no such object input")
	return nil
}

func (r *walletReader) withdrawal(v any, at string) Input {
	o := r.fields(v, at, []string{"reservation", "typeArg", "withdrawFrom"})
	var w WithdrawalInput
	switch name, inner := r.choice(o["reservation"], at+".reservation"); name {
	case "MaxAmountU64":
		w.MaxAmount = Raw(r.u64(inner, at+".reservation"))
	default:
		r.fail(at+".reservation", "there is no such reservation")
	}
	switch name, inner := r.choice(o["typeArg"], at+".typeArg"); name {
	case "Balance":
		w.Coin = r.typeTag(inner, at+".typeArg")
	default:
		r.fail(at+".typeArg", "there is no such type")
	}
	from := at + ".withdrawFrom"
	switch name, inner := r.choice(o["withdrawFrom"], from); name {
	case "Sender":
		r.literalTrue(inner, from)
	case "Sponsor":
		r.literalTrue(inner, from)
		w.From = WithdrawSponsor
	case "SenderAllowance":
		a := r.fields(inner, from, []string{"funder", "allowance"})
		w.From = WithdrawSenderAllowance
		w.Funder = r.address(a["funder"], from+".funder")
		w.Allowance = r.address(a["allowance"], from+".allowance")
	default:
		r.fail(from, "there is no such source")
	}
	return w
}

func (r *walletReader) literalTrue(v any, at string) {
	if v != true {
		r.fail(at, "true is needed")
	}
}

// index reads a 16-bit index.
func (r *walletReader) index(v any, at string) uint16 {
	return uint16(r.number(v, at, math.MaxUint16))
}

func (r *walletReader) expiration(v any, at string) Expiration {
	name, inner := r.choice(v, at)
	at += "." + name
	switch name {
	case "None":
		r.literalTrue(inner, at)
		return NoExpiration{}
	case "Epoch":
		return EpochExpiration{Epoch: r.u64(inner, at)}
	case "ValidDuring":
		return r.validDuring(r.fields(inner, at, validDuringNames()), at)
	case "Validity":
		o := r.fields(inner, at, append(validDuringNames(), "allowedProposers"))
		e := Validity{ValidDuring: r.validDuring(o, at)}
		if p := o["allowedProposers"]; p != nil {
			at += ".allowedProposers"
			o := r.fields(p, at, []string{"epoch", "proposers"})
			e.Proposers = &Proposers{
				Epoch: r.u64(o["epoch"], at+".epoch"),
				Members: readList(r, o["proposers"], at+".proposers", func(v any, at string) uint32 {
					return uint32(r.number(v, at, math.MaxUint32))
				}),
			}
		}
		return e
	}
	r.fail(at, "there is no such expiration")
	return nil
}

func validDuringNames() []string {
	return []string{"minEpoch", "maxEpoch", "minTimestamp", "maxTimestamp", "chain", "nonce"}
}

func (r *walletReader) validDuring(o map[string]any, at string) ValidDuring {
	return ValidDuring{
		MinEpoch:     r.optionalU64(o["minEpoch"], at+".minEpoch"),
		MaxEpoch:     r.optionalU64(o["maxEpoch"], at+".maxEpoch"),
		MinTimestamp: r.optionalU64(o["minTimestamp"], at+".minTimestamp"),
		MaxTimestamp: r.optionalU64(o["maxTimestamp"], at+".maxTimestamp"),
		Chain:        r.digest(o["chain"], at+".chain"),
		Nonce:        uint32(r.number(o["nonce"], at+".nonce", math.MaxUint32)),
	}
}
