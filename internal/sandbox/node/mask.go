package node

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// laterFields are fields of the service that the stubs do not know. A client may request them. They are
// answered from unknown fields.
var laterFields = map[string]bool{
	"configs": true, "display": true, "suggested_gas_price": true, "transaction_index": true,
}

// maskTree is a read mask as a tree; a leaf selects everything below it.
type maskTree map[string]maskTree

// cut keeps only the fields of m selected by the mask; an empty mask selects the comma-separated
// defaults. It refuses unknown paths.
func cut(m proto.Message, mask *fieldmaskpb.FieldMask, defaults string) error {
	paths := mask.GetPaths()
	if len(paths) == 0 {
		paths = strings.Split(defaults, ",")
	}
	tree := maskTree{}
	for _, p := range paths {
		if p == "*" {
			return nil
		}
		if err := tree.add(m.ProtoReflect().Descriptor(), p); err != nil {
			return err
		}
	}
	tree.cut(m.ProtoReflect())
	return nil
}

// add adds a dotted path to the tree, with proto or JSON names.
func (t maskTree) add(d protoreflect.MessageDescriptor, path string) error {
	at, whole := t, path
	for path != "" {
		name, rest, _ := strings.Cut(path, ".")
		if laterFields[name] {
			return nil
		}
		if d == nil {
			return ledger.Refuse("invalid read_mask path: %s", whole)
		}
		f := d.Fields().ByName(protoreflect.Name(name))
		if f == nil {
			f = d.Fields().ByJSONName(name)
		}
		if f == nil {
			return ledger.Refuse("invalid read_mask path: %s", whole)
		}
		key := string(f.Name())
		below, there := at[key]
		if there && below == nil {
			return nil // already selected completely
		}
		if rest == "" {
			at[key] = nil
			return nil
		}
		if below == nil {
			below = maskTree{}
			at[key] = below
		}
		at, path, d = below, rest, f.Message()
	}
	return nil
}

// cut clears what is not selected, also inside lists. Maps are kept.
func (t maskTree) cut(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		below, selected := t[string(f.Name())]
		switch {
		case !selected:
			m.Clear(f)
		case below == nil:
		case f.IsList() && f.Message() != nil:
			list := v.List()
			for i := range list.Len() {
				below.cut(list.Get(i).Message())
			}
		case f.Message() != nil && !f.IsMap():
			below.cut(v.Message())
		}
		return true
	})
}
