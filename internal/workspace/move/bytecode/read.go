package bytecode

import (
	"bytes"
	"slices"
)

var magic = []byte{0xA1, 0x1C, 0xEB, 0x0B}

// Kinds of tables.
const (
	tableModules       = 0x1
	tableDatatypes     = 0x2
	tableFunctions     = 0x3
	tableFunctionInsts = 0x4
	tableSignatures    = 0x5
	tableConstants     = 0x6
	tableIdentifiers   = 0x7
	tableAddresses     = 0x8
	tableStructs       = 0xA
	tableStructInsts   = 0xB
	tableCode          = 0xC
	tableFields        = 0xD
	tableFieldInsts    = 0xE
	tableFriends       = 0xF
	tableMetadata      = 0x10
	tableEnums         = 0x11 // this and all later tables since version 7
	tableEnumInsts     = 0x12
	tableVariants      = 0x13
	tableVariantInsts  = 0x14
)

type tableHeader struct {
	kind       byte
	start, len uint64
}

// read reads the header and every table.
func read(b []byte) (*tables, error) {
	if !bytes.HasPrefix(b, magic) {
		return nil, bad("BAD_MAGIC", "not a Move module")
	}
	c := &cursor{b: b[len(magic):]}
	if len(c.b) < 4 {
		return nil, bad(malformed, "no version")
	}
	raw := c.u32()
	t := &tables{version: int(raw & 0xffffff)}
	// since version 7 the highest byte identifies the chain; Sui's is 5
	flavour := raw >> 24
	if t.version < 5 || t.version > 7 || t.version < 7 && flavour != 0 || t.version == 7 && flavour != 5 {
		return nil, bad("UNKNOWN_VERSION", "version %#x", raw)
	}
	headers, err := t.headers(c)
	if err != nil {
		return nil, err
	}
	body := c.b
	var end uint64
	for _, h := range headers {
		// tables, sorted by offset, leave no gap and do not overlap
		if h.start != end || h.len == 0 || h.len > uint64(len(body))-end {
			return nil, bad(badHeader, "tables that overlap, leave a gap or exceed the end")
		}
		end += h.len
	}
	for _, h := range headers {
		row := &cursor{b: body[h.start : h.start+h.len]}
		t.table(h.kind, row)
		if row.err != nil {
			return nil, row.err
		}
	}
	c.b = body[end:]
	t.self = c.index()
	if c.err == nil && len(c.b) > 0 {
		c.fail(bad("TRAILING_BYTES", "bytes after the end"))
	}
	if c.err != nil {
		return nil, c.err
	}
	return t, nil
}

func (t *tables) headers(c *cursor) ([]tableHeader, error) {
	count := c.uleb()
	if c.err != nil || count > 255 {
		return nil, bad(malformed, "bad number of tables")
	}
	seen := map[byte]bool{}
	var out []tableHeader
	for range count {
		h := tableHeader{c.u8(), c.uleb(), c.uleb()}
		switch {
		case c.err != nil:
			return nil, c.err
		case h.kind == 0 || h.kind == 9 || h.kind > tableVariantInsts || h.kind >= tableEnums && t.version < 7:
			return nil, bad("UNKNOWN_TABLE_TYPE", "table %d", h.kind)
		case seen[h.kind]:
			return nil, bad("DUPLICATE_TABLE", "table %d", h.kind)
		}
		seen[h.kind] = true
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b tableHeader) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
	return out, nil
}

// rows reads the rows of one table.
func rows[T any](c *cursor, one func() T) []T {
	var out []T
	for c.more() {
		v := one()
		if c.err != nil {
			return nil
		}
		if len(out) >= 0xffff {
			c.fail(bad(malformed, "too many rows for an index"))
			return nil
		}
		out = append(out, v)
	}
	return out
}

func (t *tables) table(kind byte, c *cursor) {
	pairs := func() []pair { return rows(c, func() pair { return pair{c.index(), c.index()} }) }
	handles := func() []moduleHandle {
		return rows(c, func() moduleHandle { return moduleHandle{c.index(), c.index()} })
	}
	switch kind {
	case tableIdentifiers:
		t.identifiers = rows(c, func() string { return identifier(c) })
	case tableAddresses:
		if len(c.b)%32 != 0 {
			c.fail(bad(malformed, "half an address"))
		}
		t.addresses = rows(c, func() string { return short(c.take(32)) })
	case tableModules:
		t.modules = handles()
	case tableFriends:
		t.friends = handles()
	case tableDatatypes:
		t.datatypes = rows(c, func() datatypeHandle { return readDatatypeHandle(c) })
	case tableFunctions:
		t.functions = rows(c, func() functionHandle { return readFunctionHandle(c) })
	case tableFunctionInsts:
		t.instances = pairs()
	case tableSignatures:
		t.signatures = rows(c, func() signature { return readSignature(c) })
	case tableConstants:
		t.constants = len(rows(c, func() struct{} {
			readType(c, 0)
			c.take(c.uleb())
			return struct{}{}
		}))
	case tableMetadata:
		rows(c, func() struct{} {
			c.take(c.uleb())
			c.take(c.uleb())
			return struct{}{}
		})
	case tableStructInsts:
		t.structInsts = pairs()
	case tableFields:
		t.fields = pairs()
	case tableFieldInsts:
		t.fieldInsts = pairs()
	case tableEnumInsts:
		t.enumInsts = pairs()
	case tableVariants:
		t.variants = pairs()
	case tableVariantInsts:
		t.variantIns = pairs()
	case tableStructs:
		t.structs = rows(c, func() structDef { return readStruct(c) })
	case tableEnums:
		t.enums = rows(c, func() enumDef { return readEnum(c) })
	case tableCode:
		t.code = rows(c, func() functionDef { return t.readFunction(c) })
	}
}

func readDatatypeHandle(c *cursor) datatypeHandle {
	h := datatypeHandle{module: c.index(), name: c.index()}
	abilities(c)
	h.typeParams = c.index()
	for i := 0; i < h.typeParams && c.err == nil; i++ {
		abilities(c)
		c.u8() // whether the parameter is phantom
	}
	return h
}

func readFunctionHandle(c *cursor) functionHandle {
	h := functionHandle{module: c.index(), name: c.index(), params: c.index(), returns: c.index(), typeParams: c.index()}
	for i := 0; i < h.typeParams && c.err == nil; i++ {
		abilities(c)
	}
	return h
}

func identifier(c *cursor) string {
	n := c.uleb()
	if n > maxIdentifier {
		c.fail(bad(malformed, "a name longer than %d bytes", maxIdentifier))
		return ""
	}
	b := c.take(n)
	if c.err == nil && !validIdentifier(b) {
		c.fail(bad(malformed, "Invalid Identifier"))
	}
	return string(b)
}

// validIdentifier implements the chain's rule: ASCII letters, digits and underscores, no digit
// first, and more than a single underscore.
func validIdentifier(b []byte) bool {
	if string(b) == "<SELF>" {
		return true
	}
	if len(b) == 0 || string(b) == "_" || b[0] >= '0' && b[0] <= '9' {
		return false
	}
	for _, c := range b {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

func abilities(c *cursor) {
	if v := c.uleb(); v > 15 {
		c.fail(bad("UNKNOWN_ABILITY", "abilities %d", v))
	}
}

func readSignature(c *cursor) signature {
	var s signature
	n := c.index()
	for i := 0; i < n && c.err == nil; i++ {
		s.types = append(s.types, readType(c, 0))
	}
	return s
}

// maxTypeDepth limits the nesting of types, as on the chain.
const maxTypeDepth = 256

var primitives = map[byte]string{1: "bool", 2: "u8", 3: "u64", 4: "u128", 5: "address",
	0xC: "signer", 0xD: "u16", 0xE: "u32",
	0xF: "u256"}

func readType(c *cursor, depth int) *Type {
	t := &Type{}
	if depth > maxTypeDepth {
		c.fail(bad(malformed, "a type nested too deep"))
		return t
	}
	switch tag := c.u8(); tag {
	case 6, 7, 0xA:
		t.Kind = map[byte]TypeKind{6: TypeRef, 7: TypeMutRef, 0xA: TypeVector}[tag]
		t.Args = []*Type{readType(c, depth+1)}
	case 8:
		t.Kind, t.Index = TypeDatatype, c.index()
	case 9:
		t.Kind, t.Index = TypeParam, c.index()
	case 0xB:
		t.Kind, t.Index = TypeDatatype, c.index()
		n := c.index()
		for i := 0; i < n && c.err == nil; i++ {
			t.Args = append(t.Args, readType(c, depth+1))
		}
	default:
		if t.Name = primitives[tag]; t.Name == "" {
			c.fail(bad("UNKNOWN_SERIALIZED_TYPE", "type %d", tag))
		}
	}
	return t
}

func readFields(c *cursor, out *structDef) {
	n := c.index()
	for i := 0; i < n && c.err == nil; i++ {
		out.names = append(out.names, c.index())
		out.types = append(out.types, readType(c, 0))
	}
}

func readStruct(c *cursor) structDef {
	out := structDef{handle: c.index()}
	switch flag := c.u8(); flag {
	case 1: // native
	case 2:
		readFields(c, &out)
	default:
		c.fail(bad(malformed, "fields of kind %d", flag))
	}
	return out
}

func readEnum(c *cursor) enumDef {
	out := enumDef{handle: c.index()}
	if flag := c.u8(); flag != 2 {
		c.fail(bad(malformed, "variants of kind %d", flag))
	}
	n := c.index()
	for i := 0; i < n && c.err == nil; i++ {
		v := structDef{handle: c.index()}
		readFields(c, &v)
		out.variants = append(out.variants, v)
	}
	return out
}
