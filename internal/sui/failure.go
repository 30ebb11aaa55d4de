package sui

// ExecutionFailure describes why a transaction failed. Kind is the number of the chain's error
// variant, and Name is its name. Payload is the BCS of the error's fields. Abort is set if Move code
// aborted. If the failure names no command, Command is nil and Abort.Command is -1.
type ExecutionFailure struct {
	Kind    uint32
	Name    string
	Payload []byte
	Abort   *MoveAbort
	Command *uint64
}

// failures lists the chain's errors in the order of their variants. Each letter of a shape is one
// field: q u64, w u16, b u8, i id or address, I several ids, s text, v bytes, l code location, o
// optional location, and c, t, p for errors of command arguments, type arguments and upgrades.
var failures = []struct{ name, shape string }{
	{"INSUFFICIENT_GAS", ""}, {"INVALID_GAS_OBJECT", ""}, {"INVARIANT_VIOLATION", ""},
	{"FEATURE_NOT_YET_SUPPORTED", ""}, {"OBJECT_TOO_BIG", "qq"}, {"PACKAGE_TOO_BIG", "qq"},
	{"CIRCULAR_OBJECT_OWNERSHIP", "i"}, {"INSUFFICIENT_COIN_BALANCE", ""}, {"COIN_BALANCE_OVERFLOW", ""},
	{"PUBLISH_ERROR_NON_ZERO_ADDRESS", ""}, {"SUI_MOVE_VERIFICATION_ERROR", ""},
	{"MOVE_PRIMITIVE_RUNTIME_ERROR", "o"}, {"MOVE_ABORT", "lq"},
	{"VM_VERIFICATION_OR_DESERIALIZATION_ERROR", ""}, {"VM_INVARIANT_VIOLATION", ""},
	{"FUNCTION_NOT_FOUND", ""}, {"ARITY_MISMATCH", ""}, {"TYPE_ARITY_MISMATCH", ""},
	{"NON_ENTRY_FUNCTION_INVOKED", ""}, {"COMMAND_ARGUMENT_ERROR", "wc"}, {"TYPE_ARGUMENT_ERROR", "wt"},
	{"UNUSED_VALUE_WITHOUT_DROP", "ww"}, {"INVALID_PUBLIC_FUNCTION_RETURN_TYPE", "w"},
	{"INVALID_TRANSFER_OBJECT", ""}, {"EFFECTS_TOO_LARGE", "qq"}, {"PUBLISH_UPGRADE_MISSING_DEPENDENCY", ""},
	{"PUBLISH_UPGRADE_DEPENDENCY_DOWNGRADE", ""}, {"PACKAGE_UPGRADE_ERROR", "p"},
	{"WRITTEN_OBJECTS_TOO_LARGE", "qq"}, {"CERTIFICATE_DENIED", ""}, {"SUI_MOVE_VERIFICATION_TIMEDOUT", ""},
	{"CONSENSUS_OBJECT_OPERATION_NOT_ALLOWED", ""}, {"INPUT_OBJECT_DELETED", ""},
	{"EXECUTION_CANCELED_DUE_TO_CONSENSUS_OBJECT_CONGESTION", "I"}, {"ADDRESS_DENIED_FOR_COIN", "is"},
	{"COIN_TYPE_GLOBAL_PAUSE", "s"}, {"EXECUTION_CANCELED_DUE_TO_RANDOMNESS_UNAVAILABLE", ""},
	{"MOVE_VECTOR_ELEM_TOO_BIG", "qq"}, {"MOVE_RAW_VALUE_TOO_BIG", "qq"}, {"INVALID_LINKAGE", ""},
	{InsufficientFunds, ""}, {"NON_EXCLUSIVE_WRITE_INPUT_OBJECT_MODIFIED", "i"},
}

// Shapes of nested errors.
var (
	argumentFailures = []string{"", "", "", "", "w", "ww", "w", "", "", "", "", "", "", "", "", "", "", "", ""}
	typeFailures     = []string{"", ""}
	upgradeFailures  = []string{"i", "i", "", "v", "b", "ii"}
)

// InsufficientFunds is the failure of a transaction that withdraws more than an address balance
// holds.
const InsufficientFunds = "INSUFFICIENT_FUNDS_FOR_WITHDRAW"

// InsufficientCoin is the failure of a transaction that splits more off a coin than it holds.
const InsufficientCoin = "INSUFFICIENT_COIN_BALANCE"

// FailureName returns the chain's name of a failure variant. It returns false for a variant that this
// program does not know.
func FailureName(variant int) (string, bool) {
	if variant < 0 || variant >= len(failures) {
		return "", false
	}
	return failures[variant].name, true
}

// abortShape is the only failure shape whose fields are kept.
const abortShape = "lq"

func (c *bcs) failure(f *ExecutionFailure) {
	kind := oneOf(c, f.Kind, "the failure", len(failures))
	set(c, &f.Kind, kind)
	if c.err != nil {
		return
	}
	if !c.reading {
		c.out = append(c.out, f.Payload...)
	} else {
		at, abort := c.pos, new(MoveAbort)
		parts(c, failures[kind].shape, abort)
		f.Name, f.Payload = failures[kind].name, append([]byte(nil), c.in[at:c.pos]...)
		if failures[kind].shape == abortShape {
			f.Abort = abort
		}
	}
	option(c, &f.Command, "the command", func(v *uint64) { c.u64(v, "the command") })
	if !c.reading || f.Abort == nil {
		return
	}
	f.Abort.Command = -1
	if f.Command != nil && *f.Command < 1<<31 {
		f.Abort.Command = int(*f.Command)
	}
}

// oneOf is like bcs.variant, for cases without names.
func oneOf(c *bcs, v uint32, what string, cases int) uint32 {
	at := c.pos
	c.uleb(&v, "the variant of ", what)
	//mutant:never ./internal/sui TestEffectsRefused/a failure that is not known
	if c.err == nil && int64(v) >= int64(cases) {
		c.unknown(at, what, v)
	}
	if c.err != nil {
		return 0
	}
	return v
}

// parts reads the fields of an error, and stores the location and code of an abort.
func parts(c *bcs, shape string, abort *MoveAbort) {
	var number16 uint16
	var number8 uint8
	var address Address
	var text string
	inner := func(shapes []string, what string) {
		if n := oneOf(c, 0, what, len(shapes)); c.err == nil {
			parts(c, shapes[n], abort)
		}
	}
	for _, part := range shape {
		switch part {
		case 'q':
			c.u64(&abort.Code, "a number of the failure")
		case 'w':
			c.u16(&number16, "a number of the failure")
		case 'b':
			c.u8(&number8, "a number of the failure")
		case 'i':
			c.fixed(address[:], "an id of the failure")
		case 'I':
			c.each(len(address), "the ids of the failure", func() { c.fixed(address[:], "an id of the failure") })
		case 's':
			c.text(&text, "a text of the failure")
		case 'v':
			c.pass("bytes of the failure")
		case 'l':
			c.location(abort)
		case 'o':
			var some *MoveAbort
			option(c, &some, "the place of the failure", c.location)
		case 'c':
			inner(argumentFailures, "the failure of an argument")
		case 't':
			inner(typeFailures, "the failure of a type argument")
		case 'p':
			inner(upgradeFailures, "the failure of an upgrade")
		}
	}
}

// location reads a location in Move code.
func (c *bcs) location(at *MoveAbort) {
	var number uint16
	var name *string
	c.fixed(at.Package[:], "a package id")
	c.identifier(&at.Module, "a module name")
	c.u16(&number, "a function's number")
	c.u16(&number, "an instruction's number")
	option(c, &name, "a function's name", func(s *string) { c.identifier(s, "a function's name") })
	if name != nil {
		at.Function = *name
	}
}
