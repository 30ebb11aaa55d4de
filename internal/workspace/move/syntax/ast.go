package syntax

// Problem is a position at which a source is not valid Move. Offset is in bytes. Line and Column
// begin at 1; the column counts bytes.
type Problem struct {
	Offset, Line, Column int
	Text                 string
}

// File is a parsed source. If there are problems, it contains the items that could be parsed.
type File struct {
	Modules  []*Module
	Problems []Problem
	lines    []int // offset of the first byte of each line
}

// Attribute is an entry of #[…]: its name, and the text between its parentheses or after "=".
type Attribute struct{ Name, Args string }

// Module is a module. Its items are in source order. Address is a name or a number, as written.
type Module struct {
	Address, Name string
	Label         bool // of the form "module a::m;", without braces
	Start, End    int
	Attributes    []Attribute
	Uses          []*Use
	Friends       [][]string
	Structs       []*Struct
	Enums         []*Enum
	Constants     []*Constant
	Functions     []*Function
}

// Use is one name that a use declaration introduces, or a use fun.
type Use struct {
	Path       []string // address, module and, unless a module is used, member
	Alias      string   // name that is introduced
	Function   []string // function of a use fun, which has no Path and Alias
	Type       *Type    // receiver type of a use fun
	Method     string   // method name of a use fun
	Public     bool
	Start      int
	Attributes []Attribute
}

// TypeParameter is a type parameter of a function or type.
type TypeParameter struct{ Name string }

// Field is a field of a struct or variant. The name of a positional field is its number.
type Field struct {
	Name string
	Type *Type
}

// Struct is a struct declaration.
type Struct struct {
	Name           string
	TypeParameters []TypeParameter
	Fields         []Field
	Positional     bool
	Start, End     int
	Attributes     []Attribute
}

// Enum is an enum declaration. Each variant is a Struct.
type Enum struct {
	Name           string
	TypeParameters []TypeParameter
	Variants       []*Struct
	Start, End     int
	Attributes     []Attribute
}

// Constant is a constant.
type Constant struct {
	Name       string
	Type       *Type
	Value      *Expr
	Start      int
	Attributes []Attribute
}

// Visibility is a function's visibility as written.
type Visibility string

// Visibilities of functions.
const (
	Private Visibility = ""
	Public  Visibility = "public"
	Package Visibility = "public(package)"
	Friend  Visibility = "public(friend)"
)

// Parameter is a parameter of a function or lambda.
type Parameter struct {
	Pattern *Pattern
	Type    *Type // nil if a lambda omits it
}

// Function is a function or a macro. Body is nil for a native function, and if it could not be
// parsed.
type Function struct {
	Name                 string
	Visibility           Visibility
	Entry, Native, Macro bool
	TypeParameters       []TypeParameter
	Parameters           []Parameter
	Result               *Type // nil if there is none
	Body                 *Expr
	Start, NameAt, End   int
	Attributes           []Attribute
}

// TypeKind is the kind of a Type.
type TypeKind uint8

// Kinds of types, with the fields of Type that each uses.
const (
	TypePath TypeKind = iota
	TypeRef
	TypeMutRef
	TypeTuple    // Args; () has none
	TypeFunction // of a lambda: Args and Result
	TypeHole     // _
)

// Type is a type as written.
type Type struct {
	Kind   TypeKind
	Path   []string
	Args   []*Type // type arguments, tuple members, the referenced type, or parameters
	Result *Type   // of TypeFunction
	At     int
}

// ExprKind is the kind of an Expr.
type ExprKind uint8

// Kinds of expressions, with the fields of Expr that each uses.
const (
	ExprUnit      ExprKind = iota // ()
	ExprNumber                    // Text
	ExprBool                      // true, false
	ExprBytes                     // b"…", x"…"
	ExprString                    // "…"
	ExprAddress                   // @…
	ExprPath                      // Path, TypeArgs
	ExprCall                      // Path, TypeArgs, Args
	ExprMacro                     // Path, TypeArgs, Args: f!(…)
	ExprMethod                    // X, Name, TypeArgs, Args: x.f(…)
	ExprDotMacro                  // X, Name, TypeArgs, Args: x.f!(…)
	ExprField                     // X, Name
	ExprIndex                     // X, Args
	ExprPack                      // Path, TypeArgs, Fields
	ExprVector                    // Type (or nil), Args
	ExprTuple                     // Args
	ExprUnary                     // Name ("!", "move", "copy"), X
	ExprBorrow                    // X
	ExprMutBorrow                 // X
	ExprDeref                     // X
	ExprBinary                    // Name, X, Y
	ExprAssign                    // X, Y
	ExprCast                      // X, Type
	ExprTyped                     // X, Type: (e: T)
	ExprIf                        // X, Y, Z (or nil)
	ExprWhile                     // X, Y
	ExprLoop                      // X
	ExprMatch                     // X, Arms
	ExprBlock                     // Block
	ExprLambda                    // Parameters, Type (or nil), X
	ExprAbort                     // X or nil
	ExprReturn                    // Label, X or nil
	ExprBreak                     // Label, X or nil
	ExprContinue                  // Label
	ExprLabeled                   // Label, X
)

// Expr is an expression. Kind determines which fields are used.
type Expr struct {
	Kind       ExprKind
	At         int // offset of the name or operator, for display
	Path       []string
	Name       string
	Text       string
	Label      string
	TypeArgs   []*Type
	Args       []*Expr
	X, Y, Z    *Expr
	Type       *Type
	Fields     []FieldValue
	Arms       []Arm
	Block      *Block
	Parameters []Parameter
}

// FieldValue is a field in a struct literal. Value is nil for the short form S { x }.
type FieldValue struct {
	Name  string
	Value *Expr
	At    int
}

// Arm is an arm of a match.
type Arm struct {
	Pattern *Pattern
	Guard   *Expr
	Body    *Expr
}

// Block is { use …; statements; value }.
type Block struct {
	Uses       []*Use
	Statements []Statement
	Value      *Expr // nil if the last statement ends with a semicolon
}

// Statement is a let, or an expression with a semicolon.
type Statement struct {
	Let   *Pattern
	Type  *Type
	Value *Expr // nil for a let without a value
}

// PatternKind is the kind of a Pattern.
type PatternKind uint8

// Kinds of patterns, with the fields of Pattern that each uses.
const (
	PatternBind     PatternKind = iota // Path has one name; in a match it may be a constant
	PatternWildcard                    // _ or ..
	PatternLiteral
	PatternUnpack // Path, TypeArgs, Fields: S { … }, S(…), E::V
	PatternTuple  // Items
	PatternOr     // Items
	PatternAt     // Path has one name, Items the pattern after it
	PatternPlace  // Place: in an assignment, S { f: x.y } = …
)

// Pattern is a pattern in a let, an assignment, a match or a lambda's parameters.
type Pattern struct {
	Kind     PatternKind
	Path     []string
	TypeArgs []*Type
	Fields   []FieldPattern
	Items    []*Pattern
	Literal  *Expr
	Place    *Expr
	At       int
}

// FieldPattern is a field in an unpack pattern. The name of a positional field is its number.
type FieldPattern struct {
	Name    string
	Pattern *Pattern
}
