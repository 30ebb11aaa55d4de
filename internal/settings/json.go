package settings

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// besides is Stored without methods. Its JSON form omits addresses and switches.
type besides Stored

// MarshalJSON implements json.Marshaler.
func (s Stored) MarshalJSON() ([]byte, error) {
	all := map[string]any{}
	for w, url := range s.Addresses {
		if url != "" {
			all[services[w].Member()] = url
		}
	}
	for w, at := range s.Switches {
		if member := switches[w].Member; at > Off && member != "" {
			all[member] = at
		}
	}
	members, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(besides(s))
	if err != nil || len(all) == 0 {
		return rest, err
	}
	return append(append(members[:len(members)-1], ','), rest[1:]...), nil
}

// UnmarshalJSON implements json.Unmarshaler. It rejects unknown members.
func (s *Stored) UnmarshalJSON(text []byte) error {
	all, err := strictjson.Decode[map[string]json.RawMessage](text)
	if err != nil {
		return err
	}
	var addresses [Count]string
	for w := range Count {
		raw, ok := all[services[w].Member()]
		if !ok {
			continue
		}
		if addresses[w], err = strictjson.Decode[string](raw); err != nil {
			return err
		}
		delete(all, services[w].Member())
	}
	var at [Switches]Position
	for w := range Switches {
		raw, ok := all[switches[w].Member]
		if !ok || switches[w].Member == "" {
			continue
		}
		if at[w], err = strictjson.Decode[Position](raw); err == nil {
			err = Switch(w).Known(at[w])
		}
		if err != nil {
			return err
		}
		delete(all, switches[w].Member)
	}
	rest, err := json.Marshal(all)
	if err != nil {
		return err
	}
	b, err := strictjson.Decode[besides](rest)
	if err != nil {
		return err
	}
	*s = Stored(b)
	s.Addresses, s.Switches = addresses, at
	return nil
}
