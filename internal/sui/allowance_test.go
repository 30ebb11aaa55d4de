package sui

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

const allowanceOfUSDC = "0x2::allowance::Allowance<0x2::balance::Balance<0x5::usdc::USDC>>"

// written returns the contents of an allowance, encoded by hand: the bounds that are not empty, and the
// amount taken so far.
func written(limit, start, end, rate []byte, taken uint64) []byte {
	b := bytes.Repeat([]byte{7}, 32)              // id
	b = append(b, bytes.Repeat([]byte{8}, 32)...) // funder
	b = append(append(b, 1), bytes.Repeat([]byte{9}, 32)...)
	b = append(b, 0) // no app
	for _, part := range [][]byte{limit, start, end, rate} {
		if len(part) > 0 {
			b = append(append(b, 1), part...)
		} else {
			b = append(b, 0)
		}
	}
	b = append(b, 5)
	b = append(b, "agent"...)
	return append(b, wideBytes(taken)...)
}

func wideBytes(n uint64) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, n), make([]byte, 24)...)
}

func timeBytes(t *testing.T, s string) []byte {
	if s == "" {
		return nil
	}
	return binary.LittleEndian.AppendUint64(nil, day(t, s))
}

// The expected values were counted by hand.
func TestAllowances(t *testing.T) {
	type rate struct {
		limit, spent uint64
		anchor       string // "" if nothing was spent yet
		index        uint64
		days         uint64
		months       byte
	}
	for _, c := range []struct {
		name        string
		limit       uint64
		taken       uint64
		rate        *rate
		start, end  string
		now         string
		left, worst string // "" if nothing limits it
	}{
		{"a cap, nothing taken", 100, 0, nil, "", "2026-02-01 00:00", "2026-01-01 00:00", "100", "100"},
		{"a cap, in part taken", 100, 30, nil, "", "2026-02-01 00:00", "2026-01-01 00:00", "70", "70"},
		{"a cap that is used up", 100, 100, nil, "", "2026-02-01 00:00", "2026-01-01 00:00", "0", "0"},
		{"its last millisecond is over", 100, 0, nil, "", "2026-01-01 00:00", "2026-01-01 00:00", "0", "0"},
		{"it has not begun", 100, 0, nil, "2026-01-10 00:00", "2026-02-01 00:00", "2026-01-01 00:00", "0", "100"},
		{"a rate without an end", 0, 900, &rate{10, 4, "2026-01-01 00:00", 0, 10, 0}, "", "", "2026-01-05 00:00", "6", ""},
		{"a new window has begun", 0, 900, &rate{10, 4, "2026-01-01 00:00", 0, 10, 0}, "", "", "2026-01-11 00:00", "10", ""},
		{"what the window leaves, and two more", 0, 4, &rate{10, 4, "2026-01-01 00:00", 0, 10, 0}, "", "2026-01-25 00:00",
			"2026-01-05 00:00", "6", "26"},
		{"the last window ends with it", 0, 4, &rate{10, 4, "2026-01-01 00:00", 0, 10, 0}, "", "2026-01-21 00:00",
			"2026-01-05 00:00", "6", "16"},
		{"a window later", 0, 4, &rate{10, 4, "2026-01-01 00:00", 0, 10, 0}, "", "2026-01-25 00:00", "2026-01-15 00:00", "10",
			"20"},
		{"nothing was spent yet", 0, 0, &rate{10, 0, "", 0, 10, 0}, "", "2026-01-25 00:00", "2026-01-05 00:00", "10", "20"},
		{"the cap is less than the windows", 12, 4, &rate{10, 4, "2026-01-01 00:00", 0, 10, 0}, "", "2026-01-25 00:00",
			"2026-01-05 00:00", "6", "8"},
		{"the window is less than the cap", 100, 4, &rate{10, 4, "2026-01-01 00:00", 0, 10, 0}, "", "2026-01-08 00:00",
			"2026-01-05 00:00", "6", "6"},
		{"a start after the end", 0, 0, &rate{10, 0, "", 0, 10, 0}, "2026-03-01 00:00", "2026-02-01 00:00",
			"2026-01-05 00:00", "0", "0"},
		{"months, in the first", 0, 7, &rate{10, 7, "2026-01-31 09:00", 0, 0, 1}, "", "2026-04-01 00:00", "2026-02-27 00:00",
			"3", "23"},
		{"a month renews at midnight of its last day", 0, 7, &rate{10, 7, "2026-01-31 09:00", 0, 0, 1}, "",
			"2026-04-01 00:00", "2026-02-28 00:00", "10", "20"},
		{"quarters", 0, 7, &rate{10, 7, "2026-01-01 00:00", 1, 0, 3}, "", "2027-01-01 00:00", "2026-05-01 00:00", "3", "23"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var limit, windows []byte
			if c.limit > 0 {
				limit = wideBytes(c.limit)
			}
			if r := c.rate; r != nil {
				windows = append(append([]byte{0}, wideBytes(r.limit)...), wideBytes(r.spent)...)
				if r.anchor == "" {
					windows = append(windows, 0)
				} else {
					windows = append(append(windows, 1), timeBytes(t, r.anchor)...)
				}
				windows = binary.LittleEndian.AppendUint64(windows, r.index)
				if r.days > 0 {
					windows = binary.LittleEndian.AppendUint64(append(windows, 0), r.days*86_400_000)
				} else {
					windows = append(windows, 1, r.months)
				}
			}
			o := Object{Ref: ObjectRef{ID: ObjectID(bytes.Repeat([]byte{7}, 32))}, Type: allowanceOfUSDC,
				Contents: written(limit, timeBytes(t, c.start), timeBytes(t, c.end), windows, c.taken)}
			a, err := ReadAllowance(o)
			if err != nil {
				t.Fatal(err)
			}
			now := day(t, c.now)
			worst := ""
			if w := a.Worst(now); w != nil {
				worst = w.String()
			}
			if a.Left(now).String() != c.left || worst != c.worst || a.Over(now) != (c.worst == "0") {
				t.Errorf("left %s, worst %q, over %v; want %s, %q", a.Left(now), worst, a.Over(now), c.left, c.worst)
			}
			if a.Name != "agent" || a.Spender != Address(bytes.Repeat([]byte{9}, 32)) || !strings.HasSuffix(a.Coin.String(),
				"5::usdc::USDC") ||
				a.Taken.Cmp(new(big.Int).SetUint64(c.taken)) != 0 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// Anything that is not an allowance, or is encoded differently, is rejected.
func TestNoAllowance(t *testing.T) {
	good := Object{Ref: ObjectRef{ID: ObjectID(bytes.Repeat([]byte{7}, 32))}, Type: allowanceOfUSDC,
		Contents: written(wideBytes(5), nil, nil, nil, 0)}
	if _, err := ReadAllowance(good); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*Object){
		"under a look-alike package": func(o *Object) {
			o.Type = strings.Replace(o.Type, "0x2::allowance", "0x22::allowance",
				1)
		},
		"of something else":       func(o *Object) { o.Type = "0x2::allowance::Allowance<0x5::usdc::USDC>" },
		"of another id":           func(o *Object) { o.Ref.ID[0]++ },
		"cut short":               func(o *Object) { o.Contents = o.Contents[:len(o.Contents)-1] },
		"with more after its end": func(o *Object) { o.Contents = append(bytes.Clone(o.Contents), 0) },
		"of windows without length": func(o *Object) {
			rate := append(append([]byte{0}, wideBytes(1)...), wideBytes(0)...)
			o.Contents = written(nil, nil, nil, append(rate, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0), 0)
		},
		"empty": func(o *Object) { o.Contents = nil },
	} {
		o := good
		edit(&o)
		if a, err := ReadAllowance(o); !fault.Is(err, fault.ProviderMismatch) {
			t.Errorf("%s: %+v %v", name, a, err)
		}
	}
}
