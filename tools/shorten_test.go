package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// Number of list elements that the reference shows.
const (
	shownObjects = 2
	shownWords   = 5
)

// shorten returns an answer as the reference shows it: in the same order, with shortened lists and
// without data.userAnswerUse, which the reference explains in words.
func shorten(t *testing.T, answer []byte) json.RawMessage {
	t.Helper()
	var b bytes.Buffer
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := shortenNext(d, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shortenNext copies the next value of d.
func shortenNext(d *json.Decoder, b *bytes.Buffer) error {
	token, err := d.Token()
	switch {
	case err != nil:
		return err
	case token == json.Delim('{'):
		return shortenObject(d, b)
	case token == json.Delim('['):
		return shortenList(d, b)
	}
	return encodeTo(b, token)
}

func shortenObject(d *json.Decoder, b *bytes.Buffer) error {
	b.WriteByte('{')
	for first := true; d.More(); {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if name == "userAnswerUse" {
			if err := d.Decode(new(json.RawMessage)); err != nil {
				return err
			}
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if err := encodeTo(b, name); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := shortenNext(d, b); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	_, err := d.Token()
	return err
}

func shortenList(d *json.Decoder, b *bytes.Buffer) error {
	b.WriteByte('[')
	n, shown := 0, shownWords
	for ; d.More(); n++ {
		var element bytes.Buffer
		if err := shortenNext(d, &element); err != nil {
			return err
		}
		if element.Bytes()[0] == '{' {
			shown = shownObjects
		}
		if n >= shown {
			continue
		}
		if n > 0 {
			b.WriteByte(',')
		}
		b.Write(element.Bytes())
	}
	if n > shown {
		fmt.Fprintf(b, `,"… %d more"`, n-shown)
	}
	b.WriteByte(']')
	_, err := d.Token()
	return err
}

// encodeTo writes one value without HTML escapes.
func encodeTo(b *bytes.Buffer, v any) error {
	var one bytes.Buffer
	e := json.NewEncoder(&one)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	b.Write(bytes.TrimRight(one.Bytes(), "\n"))
	return err
}
