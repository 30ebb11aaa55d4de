package sui

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func (r *walletReader) argument(v any, at string) Argument {
	name, inner := r.choice(v, at, "type")
	if o, _ := v.(map[string]any); r.err == nil && o["type"] != nil {
		// Do not copy the library's hint about an input's purpose, because the bytes do not contain
		// it.
		if t := o["type"]; name != "Input" || (t != "pure" && t != "object" && t != "withdrawal") {
			r.fail(at, "type belongs to an input and is pure, object or withdrawal")
		}
	}
	at += "." + name
	switch name {
	case "GasCoin":
		r.literalTrue(inner, at)
		return GasCoin
	case "Input":
		return Argument{Kind: ArgInput, Index: r.index(inner, at)}
	case "Result":
		return Argument{Kind: ArgResult, Index: r.index(inner, at)}
	case "NestedResult":
		pair := readList(r, inner, at, r.index)
		if len(pair) != 2 {
			r.fail(at, "two indexes are needed")
			return Argument{}
		}
		return Argument{Kind: ArgNestedResult, Index: pair[0], Nested: pair[1]}
	}
	r.fail(at, "there is no such argument")
	return Argument{}
}

func (r *walletReader) arguments(v any, at string) []Argument { return readList(r, v, at, r.argument) }

func (r *walletReader) command(v any, at string) Command {
	name, inner := r.choice(v, at)
	at += "." + name
	switch name {
	case "MoveCall":
		o := r.fields(inner, at, []string{"package", "module", "function", "typeArguments", "arguments"})
		return MoveCall{
			Package:   r.address(o["package"], at+".package"),
			Module:    r.text(o["module"], at+".module"),
			Function:  r.text(o["function"], at+".function"),
			TypeArgs:  readList(r, o["typeArguments"], at+".typeArguments", r.typeTag),
			Arguments: r.arguments(o["arguments"], at+".arguments"),
		}
	case "TransferObjects":
		o := r.fields(inner, at, []string{"objects", "address"})
		return TransferObjects{
			Objects:   r.arguments(o["objects"], at+".objects"),
			Recipient: r.argument(o["address"], at+".address"),
		}
	case "SplitCoins":
		o := r.fields(inner, at, []string{"coin", "amounts"})
		return SplitCoins{
			Coin:    r.argument(o["coin"], at+".coin"),
			Amounts: r.arguments(o["amounts"], at+".amounts"),
		}
	case "MergeCoins":
		o := r.fields(inner, at, []string{"destination", "sources"})
		return MergeCoins{
			Into:    r.argument(o["destination"], at+".destination"),
			Sources: r.arguments(o["sources"], at+".sources"),
		}
	case "MakeMoveVec":
		o := r.fields(inner, at, []string{"type", "elements"})
		m := MakeMoveVec{Elements: r.arguments(o["elements"], at+".elements")}
		if t := o["type"]; t != nil {
			tag := r.typeTag(t, at+".type")
			m.Type = &tag
		}
		return m
	case "Publish":
		return r.publish(r.fields(inner, at, []string{"modules", "dependencies"}), at)
	case "Upgrade":
		o := r.fields(inner, at, []string{"modules", "dependencies", "package", "ticket"})
		p := r.publish(o, at)
		return Upgrade{
			Modules: p.Modules, Dependencies: p.Dependencies,
			Package: r.address(o["package"], at+".package"),
			Ticket:  r.argument(o["ticket"], at+".ticket"),
		}
	}
	r.fail(at, "there is no such command")
	return nil
}

func (r *walletReader) publish(o map[string]any, at string) Publish {
	return Publish{
		Modules:      readList(r, o["modules"], at+".modules", r.bytes),
		Dependencies: readList(r, o["dependencies"], at+".dependencies", r.address),
	}
}

// maxJSONDepth limits nesting; a transaction needs 8.
const maxJSONDepth = 32

// parseJSON reads one JSON value into maps, lists and json.Number. Unlike encoding/json, it rejects
// repeated names, invalid UTF-8 and trailing text.
func parseJSON(b []byte) (any, error) {
	if !utf8.Valid(b) {
		return nil, fault.New(fault.InputInvalid, "The transaction JSON is not UTF-8.")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v, err := parseValue(d, 0)
	if err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("there is text after the end")
		}
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "The transaction JSON cannot be read near byte %d: %v.",
			d.InputOffset(), err)
	}
	return v, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err == io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	delim, ok := token.(json.Delim)
	if err != nil || !ok {
		return token, err
	}
	if depth == maxJSONDepth {
		return nil, errors.New("it is nested too deeply")
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return parseObject(d, depth)
}

func parseObject(d *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := name.(string)
		if _, twice := object[key]; twice {
			return nil, errors.New("a name is repeated")
		}
		if object[key], err = parseValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}
