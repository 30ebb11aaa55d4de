package tools

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// bareIntent is an actionIntent whose JSON has no fields declared by adapters.
type bareIntent actionIntent

// MarshalJSON implements json.Marshaler.
func (i actionIntent) MarshalJSON() ([]byte, error) { return plan.EncodeWith(bareIntent(i), i.Own) }

// UnmarshalJSON implements json.Unmarshaler.
func (i *actionIntent) UnmarshalJSON(text []byte) error {
	b, own, err := plan.DecodeWith[bareIntent](text)
	if err == nil {
		*i = actionIntent(b)
		i.Own = own
	}
	return err
}

// Members implements tool.Extended.
func (actionIntent) Members() []tool.Member { return declared() }

// storedIntent is the intent of a review in an answer.
type storedIntent struct{ plan.Intent }

// Members implements tool.Extended.
func (storedIntent) Members() []tool.Member { return declared() }

// declared returns the fields of intents that adapters declare.
func declared() (list []tool.Member) {
	for _, f := range adapters.Fields() {
		shape := tool.Shape{Pattern: f.Pattern, Rule: f.Rule}
		if f.Max > 0 {
			shape.MinLength, shape.MaxLength = 1, f.Max
		}
		list = append(list, tool.Member{Name: f.Name, About: f.About, Shape: shape})
	}
	return list
}
