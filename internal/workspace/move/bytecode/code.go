package bytecode

const (
	flagNative = 2
	flagEntry  = 4

	opCall        = 0x11
	opCallGeneric = 0x38
)

// operandKind says which table the operand of an instruction refers to.
type operandKind byte

const (
	noOperand operandKind = iota
	inCode
	inConstants
	inLocals
	inFields
	inFieldInsts
	inFunctions
	inInstances
	inStructs
	inStructInsts
	inSignatures
	inVariants
	inVariantInsts
	inJumps
	number1 // a number with that many bytes, which is not needed
	number2
	number4
	number8
	number16
	number32
)

var numberSize = map[operandKind]uint64{number1: 1, number2: 2, number4: 4, number8: 8, number16: 16, number32: 32}

// operands holds the kind of each instruction's operand. known marks valid opcodes.
var operands, known = func() (kinds [256]operandKind, known [256]bool) {
	for op := 0x01; op <= 0x56; op++ {
		known[op] = true
	}
	set := func(kind operandKind, ops ...byte) {
		for _, op := range ops {
			kinds[op] = kind
		}
	}
	set(inCode, 0x03, 0x04, 0x05)
	set(number8, 0x06)
	set(inConstants, 0x07)
	set(inLocals, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E)
	set(inFields, 0x0F, 0x10)
	set(inFieldInsts, 0x36, 0x37)
	set(inFunctions, opCall)
	set(inInstances, opCallGeneric)
	set(inStructs, 0x12, 0x13, 0x29, 0x2A, 0x2B, 0x2C, 0x2D)
	set(inStructInsts, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E, 0x3F)
	set(number1, 0x31)
	set(number16, 0x32)
	set(inSignatures, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47)
	set(number2, 0x48)
	set(number4, 0x49)
	set(number32, 0x4A)
	set(inVariants, 0x4E, 0x50, 0x51, 0x52)
	set(inVariantInsts, 0x4F, 0x53, 0x54, 0x55)
	set(inJumps, 0x56)
	return kinds, known
}()

func (t *tables) readFunction(c *cursor) functionDef {
	out := functionDef{handle: c.index(), visibility: c.u8(), flags: c.u8()}
	if _, ok := visibilities[out.visibility]; !ok {
		c.fail(bad(malformed, "Invalid visibility byte"))
	}
	if out.flags&^(flagNative|flagEntry) != 0 {
		c.fail(bad("INVALID_FLAG_BITS", "flags %d", out.flags))
	}
	n := c.index()
	for i := 0; i < n && c.err == nil; i++ {
		out.acquires = append(out.acquires, c.index())
	}
	if out.flags&flagNative != 0 || c.err != nil {
		return out
	}
	out.locals = c.index()
	n = c.index()
	for i := 0; i < n && c.err == nil; i++ {
		out.instructions = append(out.instructions, t.readInstruction(c))
	}
	if t.version < 7 || c.err != nil {
		return out
	}
	n = c.index()
	for i := 0; i < n && c.err == nil; i++ {
		out.jumps = append(out.jumps, readJump(c))
	}
	return out
}

func (t *tables) readInstruction(c *cursor) instruction {
	in := instruction{op: c.u8()}
	if c.err == nil && (!known[in.op] || in.op >= 0x4E && t.version < 7 || in.op >= 0x48 && t.version < 6) {
		c.fail(bad("UNKNOWN_OPCODE", "instruction %#x", in.op))
		return in
	}
	switch kind := operands[in.op]; {
	case kind >= number1:
		c.take(numberSize[kind])
	case kind != noOperand:
		in.operand = c.index()
	}
	if in.op == 0x40 || in.op == 0x46 { // number of elements of the vector
		c.take(8)
	}
	return in
}

func readJump(c *cursor) jump {
	j := jump{enum: c.index()}
	n := c.index()
	if flag := c.u8(); flag != 1 && c.err == nil {
		c.fail(bad(malformed, "a jump table of kind %d", flag))
	}
	for i := 0; i < n && c.err == nil; i++ {
		j.branches = append(j.branches, c.index())
	}
	return j
}

// checker checks that indices are within the tables that they refer to.
type checker struct{ err *Error }

func (k *checker) in(index, length int, what string) {
	if k.err == nil && index >= length {
		k.err = bad(outOfBounds, "%s %d of %d", what, index, length)
	}
}

// check checks every index.
func (t *tables) check() error {
	var k checker
	k.in(t.self, len(t.modules), "own module handle")
	for _, h := range append(t.modules[:len(t.modules):len(t.modules)], t.friends...) {
		k.in(h.address, len(t.addresses), "address")
		k.in(h.name, len(t.identifiers), "identifier")
	}
	for _, h := range t.datatypes {
		k.in(h.module, len(t.modules), "module handle")
		k.in(h.name, len(t.identifiers), "identifier")
	}
	for _, h := range t.functions {
		k.in(h.module, len(t.modules), "module handle")
		k.in(h.name, len(t.identifiers), "identifier")
		k.in(h.params, len(t.signatures), "signature")
		k.in(h.returns, len(t.signatures), "signature")
	}
	for _, s := range t.signatures {
		k.datatypes(t, s.types)
	}
	t.checkInstances(&k)
	for _, s := range t.structs {
		k.in(s.handle, len(t.datatypes), "datatype handle")
		k.fields(t, s)
	}
	for _, e := range t.enums {
		k.in(e.handle, len(t.datatypes), "datatype handle")
		for _, v := range e.variants {
			k.in(v.handle, len(t.identifiers), "identifier")
			k.fields(t, v)
		}
	}
	for i := range t.code {
		if k.err == nil {
			t.checkCode(&k, &t.code[i])
		}
	}
	if k.err != nil {
		return k.err
	}
	return nil
}

func (k *checker) datatypes(t *tables, types []*Type) {
	for _, one := range types {
		if one.Kind == TypeDatatype {
			k.in(one.Index, len(t.datatypes), "datatype handle")
		}
		k.datatypes(t, one.Args)
	}
}

func (k *checker) fields(t *tables, s structDef) {
	for _, n := range s.names {
		k.in(n, len(t.identifiers), "identifier")
	}
	k.datatypes(t, s.types)
}

func (t *tables) checkInstances(k *checker) {
	for _, c := range []struct {
		rows   []pair
		a, b   int
		aw, bw string
	}{
		{t.instances, len(t.functions), len(t.signatures), "function handle", "signature"},
		{t.structInsts, len(t.structs), len(t.signatures), "struct", "signature"},
		{t.fields, len(t.structs), 0x10000, "struct", "field"},
		{t.fieldInsts, len(t.fields), len(t.signatures), "field handle", "signature"},
		{t.enumInsts, len(t.enums), len(t.signatures), "enum", "signature"},
		{t.variants, len(t.enums), 0x10000, "enum", "variant"},
		{t.variantIns, len(t.enumInsts), 0x10000, "enum instantiation", "variant"},
	} {
		for _, r := range c.rows {
			k.in(r.a, c.a, c.aw)
			k.in(r.b, c.b, c.bw)
		}
	}
	for _, f := range t.fields {
		if k.err == nil {
			k.in(f.b, len(t.structs[f.a].names), "field")
		}
	}
	for _, v := range t.variants {
		if k.err == nil {
			k.in(v.b, len(t.enums[v.a].variants), "variant")
		}
	}
}

func (t *tables) checkCode(k *checker, d *functionDef) {
	k.in(d.handle, len(t.functions), "function handle")
	if k.err != nil {
		return
	}
	if t.functions[d.handle].module != t.self {
		k.err = bad(malformed, "a function of another module")
		return
	}
	if d.flags&flagNative != 0 {
		return
	}
	k.in(d.locals, len(t.signatures), "signature")
	if k.err != nil {
		return
	}
	sizes := map[operandKind]int{
		inCode: len(d.instructions), inConstants: t.constants, inFields: len(t.fields), inFieldInsts: len(t.fieldInsts),
		inLocals:    len(t.signatures[d.locals].types) + len(t.signatures[t.functions[d.handle].params].types),
		inFunctions: len(t.functions), inInstances: len(t.instances), inStructs: len(t.structs),
		inStructInsts: len(t.structInsts), inSignatures: len(t.signatures), inVariants: len(t.variants),
		inVariantInsts: len(t.variantIns), inJumps: len(d.jumps),
	}
	for _, in := range d.instructions {
		if kind := operands[in.op]; kind != noOperand && kind < number1 {
			k.in(in.operand, sizes[kind], "operand")
		}
	}
	for _, j := range d.jumps {
		k.in(j.enum, len(t.enums), "enum")
		for _, b := range j.branches {
			k.in(b, len(d.instructions), "branch")
		}
	}
}
