package settings

import (
	"reflect"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Part is a setting in stored form: a document and its key. Settings with their default value are
// not stored.
type Part struct {
	Key   string
	Value any                     // pointer to the setting
	Read  func(text string) error // parses text into Value; an error means that text is damaged
	// Vital means that a damaged text must not count as unset, because that could allow too much.
	Vital bool
}

// part returns a setting whose document is parsed strictly and checked.
func part[T any](key string, value *T, check func(T) error) Part {
	return Part{Key: key, Value: value, Read: func(text string) error {
		v, err := strictjson.Decode[T]([]byte(text))
		if err == nil && check != nil {
			err = check(v)
		}
		if err == nil && reflect.ValueOf(v).IsZero() {
			err = fault.New(fault.InternalError, "A setting at its default has no row.")
		}
		if err == nil {
			*value = v
		}
		return err
	}}
}

// Parts returns the settings by key, in the order in which they are written.
func (s *Stored) Parts() (all []Part) {
	for w := range Count {
		all = append(all, part(w.Info().Key(), &s.Addresses[w], func(text string) error {
			_, err := ParseEndpoint(w, text)
			return err
		}))
	}
	for w := range Switches {
		all = append(all, part(w.Info().Key, &s.Switches[w], w.Known))
	}
	limits := part("allowance", &s.Allowance, policy.Allowance.Check)
	limits.Vital = true
	return append(all, limits, part("hardware_accounts", &s.Hardware, Hardware.Check),
		part("told_notices", &s.Shown, Notices.Check), part("sharing", &s.Sharing, Sharing.Check))
}
