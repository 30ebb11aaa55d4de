package stdio_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// probe is one line and the expected answer. No answer is expected if code and result are empty.
type probe struct {
	name   string
	line   string
	id     string // id in the answer, exactly as written
	code   int
	result string // part of the result
}

// probes sends each line and checks its answer and that the server continues.
func probes(t *testing.T, w *wire, table []probe) {
	t.Helper()
	for _, p := range table {
		t.Run(p.name, func(t *testing.T) {
			w.t = t
			w.sendRaw(p.line)
			if p.code != 0 || p.result != "" {
				m := w.next()
				if m.id() != p.id || m.code() != p.code || !strings.Contains(string(m.Result), p.result) {
					t.Errorf("got %swant id %s, code %d, result with %q", m.line, p.id, p.code, p.result)
				}
			}
			w.alive()
		})
	}
	w.t = t
}

func TestLines(t *testing.T) {
	echo := call("1", "test.echo", `{"text":"hi"}`)
	nest := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	deep := nest(9_000)
	probes(t, open(t, stdio.Options{}), []probe{
		{"malformed", "{\"jsonrpc\":\n", "null", -32700, ""},
		{"cut in a string", `{"jsonrpc":"2.0","id":1,"method":"pi` + "\n", "null", -32700, ""},
		{"trailing garbage", request("1", "ping", "{}") + "}\n", "null", -32700, ""},
		{"two messages on one line", request("1", "ping", "{}") + request("2", "ping", "{}") + "\n", "null", -32700, ""},
		{"blank line", "\n", "", 0, ""},
		{"spaces", " \t  \n", "", 0, ""},
		{"carriage return", echo + "\r\n", "1", 0, "hi"},
		{"byte order mark", "\ufeff" + echo + "\n", "1", 0, "hi"},
		{"NUL bytes", "\x00\x00\n", "null", -32700, ""},
		{"NUL after a message", echo + "\x00\n", "null", -32700, ""},
		{"invalid UTF-8", strings.Replace(echo, "hi", "h\xff", 1) + "\n", "null", -32700, ""},
		{"surrogate as UTF-8", strings.Replace(echo, "hi", "\xed\xa0\x80", 1) + "\n", "null", -32700, ""},
		{"high surrogate alone", strings.Replace(echo, "hi", `\ud83d`, 1) + "\n", "1", -32600, ""},
		{"low surrogate alone", strings.Replace(echo, "hi", `\ude00`, 1) + "\n", "1", -32600, ""},
		{"surrogate pair", strings.Replace(echo, "hi", `\ud83d\ude00`, 1) + "\n", "1", 0, "😀"},
		{"batch", "[" + echo + "]\n", "null", -32600, ""},
		{"empty batch", "[]\n", "null", -32600, ""},
		{"scalar", "42\n", "null", -32600, ""},
		{"string", "\"ping\"\n", "null", -32600, ""},
		{"null", "null\n", "null", -32600, ""},
		{"empty object", "{}\n", "null", -32600, ""},
		{"no jsonrpc", `{"id":3,"method":"ping"}` + "\n", "3", -32600, ""},
		{"wrong jsonrpc", `{"jsonrpc":"1.0","id":3,"method":"ping"}` + "\n", "3", -32600, ""},
		{"jsonrpc as number", `{"jsonrpc":2.0,"id":3,"method":"ping"}` + "\n", "3", -32600, ""},
		{"no method", `{"jsonrpc":"2.0","id":3}` + "\n", "3", -32600, ""},
		{"method no string", `{"jsonrpc":"2.0","id":3,"method":7}` + "\n", "3", -32600, ""},
		{"method null", `{"jsonrpc":"2.0","id":3,"method":null}` + "\n", "3", -32600, ""},
		{"request and response", `{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}` + "\n", "3", -32600, ""},
		{"unknown method", request("3", "test/none", "{}") + "\n", "3", -32601, ""},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/none"}` + "\n", "", 0, ""},
		{"notification with bad params", `{"jsonrpc":"2.0","method":"notifications/initialized","params":[1]}` + "\n", "", 0,
			""},
		{"cancellation of nothing", cancel("99") + "\n", "", 0, ""},
		{"cancellation without id", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}` + "\n", "", 0, ""},
		{"cancellation without params", `{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n", "", 0, ""},
		{"cancellation of an object", cancel(`{}`) + "\n", "", 0, ""},
		{"response to nothing", `{"jsonrpc":"2.0","id":77,"result":{}}` + "\n", "", 0, ""},
		{"error to nothing", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}` + "\n", "", 0, ""},
		{"malformed response", `{"jsonrpc":"1.0","id":1,"result":7}` + "\n", "", 0, ""},
		{"params an array", `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[]}` + "\n", "3", -32602, ""},
		{"params a string", `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":"x"}` + "\n", "3", -32600, ""},
		{"params null", `{"jsonrpc":"2.0","id":3,"method":"ping","params":null}` + "\n", "3", 0, "{}"},
		{"no params", `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n", "3", 0, "{}"},
		{"deep and id last", `{"method":"tools/call","params":{"arguments":` + deep + `},"jsonrpc":"2.0","id":8}` + "\n", "8",
			-32600, ""},
		{"deeper than any reader goes", `{"method":"tools/call","params":{"arguments":` + nest(10_000) +
			`},"jsonrpc":"2.0","id":8}` + "\n", "null", -32700, ""},
		{"deep garbage", strings.Repeat("[", 100_000) + "\n", "null", -32700, ""},
		{"64 levels", call("1", "test.raw", `{"a":`+strings.Repeat("[", 61)+strings.Repeat("]", 61)+`}`) + "\n", "1", 0,
			"[[[["},
		{"65 levels", call("1", "test.raw", `{"a":`+strings.Repeat("[", 62)+strings.Repeat("]", 62)+`}`) + "\n", "1", -32600,
			""},
	})
}

func TestMembers(t *testing.T) {
	probes(t, open(t, stdio.Options{}), []probe{
		{"wrong case", `{"JSONRPC":"2.0","ID":7,"METHOD":"ping"}` + "\n", "null", -32600, ""},
		{"wrong case beside right", `{"jsonrpc":"2.0","id":7,"method":"ping","ID":8}` + "\n", "7", -32600, ""},
		{"long s", `{"jsonrpc":"2.0","id":7,"method":"ping","re` + "\u017f" + `ult":{}}` + "\n", "7", -32600, ""},
		{"NUL suffix", `{"jsonrpc":"2.0","id":7,"method":"ping","params\u0000":{}}` + "\n", "7", -32600, ""},
		{"unrelated member", `{"jsonrpc":"2.0","id":7,"method":"ping","trace":"x"}` + "\n", "7", 0, "{}"},
		{"duplicate id", `{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}` + "\n", "null", -32600, ""},
		{"duplicate id by escape", `{"jsonrpc":"2.0","id":7,"\u0069d":8,"method":"ping"}` + "\n", "null", -32600, ""},
		{"duplicate method", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}` + "\n", "7", -32600, ""},
		{"duplicate argument", call("7", "test.echo", `{"text":"a","text":"b"}`) + "\n", "7", -32600, ""},
		{"duplicate far below", call("7", "test.raw", `{"a":[{"b":{"c":1,"c":2}}]}`) + "\n", "7", -32600, ""},
		{"same name at two places", call("7", "test.raw", `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`) + "\n", "7", 0,
			"content"},
		{"duplicate among many", call("7", "test.raw", "{"+manyMembers(40)+`,"k7":1}`) + "\n", "7", -32600, ""},
		{"many members", call("7", "test.raw", "{"+manyMembers(40)+"}") + "\n", "7", 0, "k39"},
		{"parameter in wrong case", request("7", "tools/call", `{"name":"test.echo","Arguments":{"text":"a"}}`) + "\n", "7",
			-32602, ""},
		{"two spellings of a parameter", request("7", "tools/call", `{"name":"test.echo","NAME":"test.panic"}`) + "\n", "7",
			-32602, ""},
	})
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":%d`, i, i)
	}
	return b.String()[1:]
}

func TestIDs(t *testing.T) {
	ping := func(id string) string { return request(id, "ping", "{}") + "\n" }
	table := []probe{
		{"null", ping("null"), "null", -32600, ""},
		{"true", ping("true"), "null", -32600, ""},
		{"object", ping(`{"a":1}`), "null", -32600, ""},
		{"array", ping(`[1]`), "null", -32600, ""},
		{"fraction", ping("1.5"), "null", -32600, ""},
		{"whole fraction", ping("1.0"), "null", -32600, ""},
		{"exponent", ping("1e3"), "null", -32600, ""},
	}
	for _, id := range []string{"0", "-1", "1", `"1"`, `""`, `"a b"`, `"\u00e9\n"`, "9007199254740993",
		"-9223372036854775809", "123456789012345678901234567890", `"` + strings.Repeat("x", 5000) + `"`} {
		table = append(table, probe{"exact " + id[:min(len(id), 30)], ping(id), id, 0, "{}"},
			probe{"exact in a call " + id[:min(len(id), 30)], call(id, "test.echo", `{"text":"t"}`) + "\n", id, 0, `"t"`})
	}
	probes(t, open(t, stdio.Options{}), table)
}

func TestDuplicateInFlight(t *testing.T) {
	w := open(t, stdio.Options{})
	w.send(call("5", "test.held", `{"text":"first"}`))
	w.started(1)
	w.send(call("5", "test.echo", `{"text":"second"}`))
	if m := w.next(); m.id() != "null" || m.code() != -32600 {
		t.Errorf("a second request of one id: %s", m.line)
	}
	w.send(call(`"5"`, "test.echo", `{"text":"another id"}`))
	if m := w.next(); m.id() != `"5"` || m.text() != "another id" {
		t.Errorf("the string is another id: %s", m.line)
	}
	close(w.fixture.gate)
	if m := w.next(); m.id() != "5" || m.text() != "released" {
		t.Errorf("the first call: %s", m.line)
	}
	w.send(call("5", "test.echo", `{"text":"again"}`))
	if m := w.next(); m.id() != "5" || m.text() != "again" {
		t.Errorf("an id is free after its answer: %s", m.line)
	}
}

// live returns the size of the live heap in bytes.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestOverlongLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		for _, size := range []int{4<<20 + 1, 64 << 20} {
			before := live()
			chunk := bytes.Repeat([]byte("x"), 1<<20)
			w.sendRaw(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"x":"`)
			for sent := 0; sent < size; sent += len(chunk) {
				w.sendRaw(string(chunk))
			}
			if grown := live() - before; grown > 32<<20 {
				t.Errorf("of %d bytes on one line, %d MiB are kept", size, grown>>20)
			}
			w.sendRaw("\"}}\n")
			if m := w.next(); m.id() != "null" || m.code() != -32600 {
				t.Errorf("%d bytes: %s", size, m.line)
			}
			w.alive()
		}
		w.quiet()
		fits := strings.Repeat("y", 3<<20)
		w.send(call("10", "test.echo", `{"text":"`+fits+`"}`))
		if m := w.next(); m.text() != fits {
			t.Errorf("a line of 3 MiB is within the limit: got %d bytes", len(m.line))
		}
	})
}

func TestLastLineWithoutLineFeed(t *testing.T) {
	w := open(t, stdio.Options{})
	w.sendRaw(call("1", "test.echo", `{"text":"last"}`))
	w.in.Close()
	if m := w.next(); m.text() != "last" {
		t.Errorf("got %s", m.line)
	}
	if err := w.end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestGarbageKeepsSession feeds 10,000 random lines between 1,000 calls.
func TestGarbageKeepsSession(t *testing.T) {
	w := open(t, stdio.Options{Admission: 5000})
	seed := rand.New(rand.NewPCG(1, 2))
	go func() {
		for i := range 1000 {
			for range 10 {
				w.sendRaw(garbage(seed) + "\n")
			}
			w.send(call(fmt.Sprint(i+1), "test.echo", fmt.Sprintf(`{"text":"%d"}`, i+1)))
		}
	}()
	answered := map[string]bool{}
	for len(answered) < 1000 {
		m := w.next()
		if m.id() == "null" {
			continue
		}
		if m.text() != m.id() || answered[m.id()] {
			t.Fatalf("unexpected answer %s", m.line)
		}
		answered[m.id()] = true
	}
	if err := w.end(); err != nil {
		t.Errorf("SD-01: Serve: %v", err)
	}
}

// garbage returns a random line, or a call with some bytes changed. Its ids never equal those of
// the test's calls.
func garbage(r *rand.Rand) string {
	var b []byte
	if r.IntN(2) == 0 {
		b = []byte(request(`{"x":1}`, "tools/call", `{"name":"test.echo","arguments":{"text":"x"}}`))
		for range 1 + r.IntN(5) {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
	} else {
		b = make([]byte, r.IntN(200))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
	}
	return string(bytes.ReplaceAll(b, []byte("\n"), []byte(" ")))
}
