package hashchain

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// maxProblems limits the problems in a report.
const maxProblems = 20

// Problem describes why a file is not a valid record.
type Problem struct {
	Line int // line number in the file, counting from 1
	Text string
}

// Chain describes a chain in a file: its last entry, and what a wallet signed.
type Chain struct {
	Head
	// Signed is the last statement with a valid signature, or nil.
	Signed *Statement
	// Unchecked is the last statement whose signature only a Sui node can verify.
	Unchecked *Statement
	hashes    map[int64]Hash // hashes of the chain's entries, by number
}

// Report is the result of verifying a file.
type Report struct {
	Entries, Names, Signatures int
	Chains                     []*Chain
	Problems                   []Problem // at most maxProblems
}

// OK reports whether the file is complete and unchanged.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// Has reports whether the record contains an entry with a hash.
func (r *Report) Has(h Hash) bool {
	for _, c := range r.Chains {
		for _, have := range c.hashes {
			if have == h {
				return true
			}
		}
	}
	return false
}

// Verify reads a record file and checks every line. It calls each with the text of every entry
// whose hash is correct. It returns an error only if the file cannot be read.
func Verify(file io.Reader, each func(text []byte)) (*Report, error) {
	v := &verifier{each: each, sum: sha256.New(), commitments: map[place]Hash{}}
	in := bufio.NewReaderSize(file, 64<<10)
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		v.at++
		v.line(line)
	}
	if v.at == 0 {
		v.problem("the file is empty")
	} else if !v.ended {
		v.problem("the last line is missing: the file was cut off")
	}
	return &v.Report, nil
}

// readLine returns the next line, including its line feed if there is one.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > MaxEntry+1024:
			return nil, fault.New(fault.TooLarge, "A line of the file is too long for a record.")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		}
		return line, err
	}
}

// place identifies an entry, or a name in it.
type place struct {
	chain  Hash
	number int64
	field  string
}

type verifier struct {
	Report
	each        func(text []byte)
	sum         hash.Hash // hash of all lines so far
	at          int
	ended       bool
	later       bool // the entries are complete
	unsure      bool // the previous line is unreadable and may have been an entry
	commitments map[place]Hash
}

func (v *verifier) problem(format string, args ...any) {
	if len(v.Problems) < maxProblems {
		v.Problems = append(v.Problems, Problem{v.at, fmt.Sprintf(format, args...)})
	}
}

// line checks one line and adds it to the hash of the file.
func (v *verifier) line(line []byte) {
	if v.ended {
		v.problem("there is text after the last line")
		return
	}
	text, claimed, ok := split(line)
	//mutant:never ./internal/hashchain TestEveryByte
	if !ok || HashOf(text) != claimed {
		v.problem("%s was changed", v.called(text))
		v.unsure = true
	} else {
		v.read(text)
	}
	v.sum.Write(line)
}

// split splits a line into its text and its hash. ok is false if the line does not have that form.
func split(line []byte) (text []byte, h Hash, ok bool) {
	digits, text, ok := bytes.Cut(line, []byte(" "))
	text, whole := bytes.CutSuffix(text, []byte("\n"))
	return text, h, ok && whole && h.UnmarshalText(digits) == nil
}

// called names a changed line in a message, as precisely as its readable parts allow.
func (v *verifier) called(text []byte) string {
	var e struct {
		Kind   string `json:"kind"`
		Number int64  `json:"number"`
	}
	switch err := json.Unmarshal(text, &e); {
	case err == nil && e.Kind == kindEntry && e.Number > 0:
		return fmt.Sprintf("entry %d", e.Number)
	case !v.later && len(v.Chains) > 0:
		return fmt.Sprintf("the line after entry %d", v.Chains[len(v.Chains)-1].Number)
	}
	return "this line"
}

// read checks the text of a line whose hash is correct.
func (v *verifier) read(text []byte) {
	var k struct {
		Kind string `json:"kind"`
	}
	_ = json.Unmarshal(text, &k) // parsed strictly below
	if k.Kind != kindRecord && v.at == 1 {
		v.problem("the first line is missing, or this kind of record is not supported")
	}
	var err error
	switch k.Kind {
	case kindRecord:
		if _, err = strictjson.Decode[opening](text); v.at != 1 {
			v.problem("a first line appears again")
		}
	case kindEntry:
		err = v.entry(text)
	case kindSignature:
		err = v.signature(text)
	case kindName:
		err = v.name(text)
	case kindEnd:
		err = v.end(text)
	default:
		err = errors.New("its kind is unknown")
	}
	if err != nil {
		v.problem("this line does not belong in a record: %s", fault.As(err).Text)
	}
}

// entry checks an entry against the previous one.
func (v *verifier) entry(text []byte) error {
	e, head, err := Read(text)
	if err != nil {
		return err
	}
	if v.later {
		v.problem("entry %d is out of order", e.Number)
	}
	v.Entries++
	chain, before := v.chain(head, e)
	v.follows(chain, before, e)
	if e.Number > before.Number {
		chain.Head = head
		chain.hashes[head.Number] = head.Hash
	}
	for field, h := range e.Names {
		v.commitments[place{e.Chain, e.Number, field}] = h
	}
	v.unsure = false
	if v.each != nil {
		v.each(text)
	}
	return nil
}

// chain returns the chain of an entry, and the head of that chain before the entry.
func (v *verifier) chain(head Head, e Entry) (*Chain, Head) {
	for i, c := range v.Chains {
		if c.Chain != head.Chain {
			continue
		}
		if i != len(v.Chains)-1 {
			v.problem("entry %d is out of order", e.Number)
		}
		return c, c.Head
	}
	if e.What == Begun {
		v.continues(e)
	}
	v.Chains = append(v.Chains, &Chain{Head: Head{Chain: head.Chain}, hashes: map[int64]Hash{}})
	return v.Chains[len(v.Chains)-1], Head{Chain: head.Chain}
}

// continues checks that a new chain follows the end of the previous one.
func (v *verifier) continues(e Entry) {
	b, err := strictjson.Decode[Beginning](e.About)
	if err != nil {
		v.problem("entry %d does not state why the chain begins", e.Number)
		return
	}
	var last *Head
	if len(v.Chains) > 0 {
		last = &v.Chains[len(v.Chains)-1].Head
	}
	switch {
	case v.unsure || last == nil && b.After == nil:
	case b.After == nil:
		v.problem("a chain begins that does not follow the previous one")
	case last == nil || last.Chain != b.After.Chain:
		v.problem("the previous chain is missing")
	case *last != *b.After:
		v.problem("entries are missing: the previous chain ended at entry %d", b.After.Number)
	}
}

// follows checks that an entry follows the previous one.
func (v *verifier) follows(chain *Chain, before Head, e Entry) {
	next := before.Number + 1
	switch {
	case e.Number <= before.Number:
		v.problem("entry %d is out of order", e.Number)
	case e.Number == next && e.Previous == before.Hash && (e.Number == 1) == (e.What == Begun):
	case v.unsure && e.Number <= next+1:
		// The unreadable line was probably the missing entry.
	case e.Number == next:
		v.problem("entry %d does not follow the previous entry: one of them was replaced", e.Number)
	case e.Number == next+1:
		v.problem("entry %d is missing", next)
	default:
		v.problem("entries %d to %d are missing", next, e.Number-1)
	}
}

// signature checks a signature against the entries.
func (v *verifier) signature(text []byte) error {
	v.later = true
	s, err := strictjson.Decode[Signature](text)
	if err != nil {
		return err
	}
	st, err := s.Verify()
	unchecked := errors.Is(err, ErrNotChecked)
	if err != nil && !unchecked {
		return err
	}
	v.Signatures++
	for _, c := range v.Chains {
		if c.Chain != st.Chain {
			continue
		}
		switch {
		case st.Number > c.Number:
			v.problem("entries %d to %d are missing: %s signed entry %d", c.Number+1, st.Number, st.Account, st.Number)
		//mutant:never ./internal/hashchain TestRewritten
		case c.hashes[st.Number] != st.Hash:
			v.problem("%s signed another entry %d: an entry up to there was replaced", st.Account, st.Number)
		case unchecked:
			c.Unchecked = &st
		case c.Signed == nil || st.Number >= c.Signed.Number:
			c.Signed = &st
		}
		return nil
	}
	v.problem("%s signed entry %d of a chain that is missing", st.Account, st.Number)
	return nil
}

// name checks that the entry commits to a disclosed name.
func (v *verifier) name(text []byte) error {
	v.later = true
	n, err := strictjson.Decode[Name](text)
	if err != nil {
		return err
	}
	v.Names++
	//mutant:never ./internal/hashchain TestNames
	if h, ok := v.commitments[place{n.Chain, n.Number, n.Field}]; !ok || h != n.Commitment() {
		v.problem("the name given for %q does not match entry %d", n.Field, n.Number)
	}
	return nil
}

// end checks the last line, which covers all lines before it.
func (v *verifier) end(text []byte) error {
	e, err := strictjson.Decode[ending](text)
	if err != nil {
		return err
	}
	v.ended = true
	//mutant:always ./internal/hashchain TestMutations
	if !v.OK() || e.Lines == v.at-1 && e.Hash == Hash(v.sum.Sum(nil)) {
		return nil
	}
	if e.Lines > v.at-1 {
		v.problem("%d lines are missing before this one", e.Lines-v.at+1)
		return nil
	}
	v.problem("the lines before this one were changed")
	return nil
}
