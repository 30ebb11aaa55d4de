package floorcheck

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// Truth describes what a transaction does, according to the real signatures of the functions that it
// calls.
type Truth struct {
	Floors    map[string]uint64 // minimum that SplitCoins enforces on returned coins, by coin type
	Unfloored bool              // a coin of a type that was not paid comes back without a minimum
	Leaves    map[string]uint64 // maximum that goes into calls, by coin type
	Objects   map[string]bool   // owned objects passed to calls, including whole coins
	Addresses map[string]bool   // addresses passed to calls, except the sender's and zero
	Unread    bool              // a called package is not in the table
}

const (
	framework = "0x0000000000000000000000000000000000000000000000000000000000000002"
	suiCoin   = framework + "::sui::SUI"
)

// held is a coin or balance that a command returned.
type held struct {
	coin     string // its type; "" if unknown
	returned bool   // returned by a protocol's call
	paid     *uint64
	floor    uint64
	touched  bool // split or merged in any other way
	home     bool // transferred to the sender
	used     bool // passed to a call
}

// Of returns what a transaction does. packages holds the ids of the packages whose functions are in
// the table.
func Of(data []byte, packages map[string]bool) (Truth, error) {
	tx, err := read(data)
	if err != nil {
		return Truth{}, err
	}
	w := &walk{tx: tx, packages: packages, held: map[arg]*held{}, truth: Truth{Floors: map[string]uint64{},
		Leaves: map[string]uint64{}, Objects: map[string]bool{}, Addresses: map[string]bool{}}}
	for i, c := range tx.commands {
		w.command(i, c)
	}
	for _, h := range w.held {
		switch {
		case !h.returned:
		case h.floor > 0 && (h.home || h.used) && !h.touched:
			w.truth.Floors[h.coin] = h.floor
		case h.home && w.truth.Leaves[h.coin] == 0:
			w.truth.Unfloored = true
		}
	}
	return w.truth, nil
}

type walk struct {
	tx       transaction
	packages map[string]bool
	held     map[arg]*held
	truth    Truth
}

func (w *walk) number(a arg) (uint64, bool) {
	if !a.in || a.at >= len(w.tx.inputs) || len(w.tx.inputs[a.at].pure) != 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(w.tx.inputs[a.at].pure), true
}

func (w *walk) command(i int, c command) {
	switch c.kind {
	case 0:
		w.call(i, c)
	case 1:
		to := ""
		if c.on.in && c.on.at < len(w.tx.inputs) {
			to = "0x" + hex.EncodeToString(w.tx.inputs[c.on.at].pure)
		}
		for _, a := range c.args {
			if h := w.held[a]; h != nil && to == w.tx.sender {
				h.home = true
			}
		}
	case 2:
		w.split(i, c)
	case 3:
		if h := w.held[c.on]; h != nil && !w.floorAt(i, c) {
			h.touched = true
		}
		for _, a := range c.args {
			if h := w.held[a]; h != nil {
				h.touched = true
			}
		}
	}
}

// split records the minimum that a split enforces, or an amount split off for a payment.
func (w *walk) split(i int, c command) {
	n, fixed := uint64(0), false
	if len(c.args) == 1 {
		n, fixed = w.number(c.args[0])
	}
	if h := w.held[c.on]; h != nil {
		next := i+1 < len(w.tx.commands) && w.floorAt(i+1, w.tx.commands[i+1])
		if fixed && next && h.floor == 0 && !h.touched {
			h.floor = n
		} else {
			h.touched = true
		}
		return
	}
	coin := ""
	if c.on.gas {
		coin = suiCoin
	}
	w.held[arg{at: i}] = &held{coin: coin, paid: &n}
}

// floorAt reports whether command i merges back what the command before it split.
func (w *walk) floorAt(i int, c command) bool {
	return i > 0 && c.kind == 3 && w.tx.commands[i-1].kind == 2 && w.tx.commands[i-1].on == c.on &&
		len(c.args) == 1 && c.args[0] == arg{at: i - 1}
}

func (w *walk) call(i int, c command) {
	name, ours := c.fn, w.packages[c.pkg]
	if !ours && !strings.HasPrefix(c.pkg, framework[:len(framework)-1]) {
		w.truth.Unread = true
	}
	f, known := Functions[name]
	for n, a := range c.args {
		switch {
		case a.in && a.at < len(w.tx.inputs):
			w.given(w.tx.inputs[a.at])
		case w.held[a] != nil && known && n < len(f.Takes):
			w.pay(w.held[a], coinOf(f.Takes[n], c.types))
		}
	}
	switch name {
	case "coin::from_balance", "coin::into_balance", "coin::split":
		if h := w.held[c.args[0]]; h != nil {
			w.held[arg{at: i}] = h
		}
		return
	}
	for n, r := range f.Returns {
		if coin := coinOf(r, c.types); coin != "" {
			w.held[arg{at: i, out: n}] = &held{coin: coin, returned: true}
		}
	}
}

// given records an owned object or an address passed to a call.
func (w *walk) given(in input) {
	if in.owned != "" {
		w.truth.Objects[in.owned] = true
	}
	if len(in.pure) == 32 {
		id := "0x" + hex.EncodeToString(in.pure)
		if id != w.tx.sender && strings.Trim(id, "0x") != "" {
			w.truth.Addresses[id] = true
		}
	}
}

// pay records that the account's money is passed to a call.
func (w *walk) pay(h *held, coin string) {
	if coin == "" {
		return
	}
	if h.returned {
		h.used = true
		return
	}
	if h.paid != nil && !h.touched {
		w.truth.Leaves[coin] += *h.paid
		h.touched = true
	}
}

// coinOf returns the coin type T of Coin<T> or Balance<T>, or "" for any other type.
func coinOf(typ string, types []string) string {
	for i, t := range types {
		typ = strings.ReplaceAll(typ, "$"+string(rune('0'+i)), t)
	}
	for _, around := range []string{"Coin<", "Balance<"} {
		if inner, ok := strings.CutPrefix(typ, around); ok {
			return strings.TrimSuffix(inner, ">")
		}
	}
	return ""
}
