package web_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// spoken sends raw bytes on one connection and returns the status of every response until the
// server closes it or stops sending.
func (r *rig) spoken(raw string) (statuses []int, closed bool) {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.host)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		r.t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for {
		// Idle connections are closed after 30 seconds, and incomplete bodies after 10. A
		// connection that is open now was not closed by the rejection.
		conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		resp, err := http.ReadResponse(in, nil)
		var timeout net.Error
		switch {
		case errors.As(err, &timeout) && timeout.Timeout():
			return statuses, false
		case err != nil:
			return statuses, true
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			r.t.Fatal(err)
		}
		if resp.StatusCode >= http.StatusBadRequest && !resp.Close {
			r.t.Errorf("a refusal of %d does not say that the connection closes", resp.StatusCode)
		}
		statuses = append(statuses, resp.StatusCode)
	}
}

// TestMalformedHeads sends a second request after a GET with a head that two programs could parse
// differently. Neither is served, and the connection ends.
func TestMalformedHeads(t *testing.T) {
	r := newRig(t, nil)
	const get = "GET / HTTP/1.1\r\nHost: "
	hidden := get + r.host + "\r\n\r\n"
	for name, first := range map[string]string{
		"a line that continues the one before": get + r.host + "\r\nX-One: a\r\n b\r\n\r\n",
		"a line without CR":                    get + r.host + "\r\nX-One: a\nX-Two: b\r\n\r\n",
		"an end without CR":                    get + r.host + "\r\nX-One: a\r\n\n",
		"a request line without CR":            "GET / HTTP/1.1\nHost: " + r.host + "\r\n\r\n",
		"a length twice":                       get + r.host + "\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
		"a change of protocol":                 get + r.host + "\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + hidden,
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			statuses, closed := r.spoken(first + hidden)
			served := len(statuses) > 1 || len(statuses) == 1 && statuses[0] != 400
			if strings.Contains(first, "Upgrade") {
				served = len(statuses) > 2 || statuses[len(statuses)-1] != 400
			}
			if served || !closed {
				t.Errorf("answers %v, closed %t", statuses, closed)
			}
		})
	}
	t.Run("two that are well formed are served", func(t *testing.T) {
		r.t = t
		last := get + r.host + "\r\nConnection: close\r\n\r\n"
		if statuses, closed := r.spoken(hidden + last); len(statuses) != 2 || statuses[1] != 200 || !closed {
			t.Errorf("answers %v, closed %t", statuses, closed)
		}
	})
}

// TestRefusalsCloseTheConnection sends a second request after a rejected one, hidden in what two
// programs could take for the first one's body. It is not answered, and the connection ends.
func TestRefusalsCloseTheConnection(t *testing.T) {
	r := newRig(t, nil)
	id, token := r.connecting()
	path := "/api/wallet/" + id + "/state"
	hidden := "POST " + path + " HTTP/1.1\r\nHost: " + r.host + "\r\nAuthorization: Bearer " + token +
		"\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n{\"status\":\"connecting\"}"
	head := func(line string, more ...string) string {
		return line + " HTTP/1.1\r\nHost: " + r.host + "\r\n" + strings.Join(append(more, "\r\n"), "\r\n")
	}
	const kind = "Content-Type: application/json"
	right := "Authorization: Bearer " + token
	for _, c := range []struct {
		name, first string
		status      int
	}{
		{"both lengths", head("POST "+path, right, kind, "Content-Length: 5", "Transfer-Encoding: chunked") + "0\r\n\r\n",
			400},
		{"both lengths the other way", head("POST "+path, right, kind, "Transfer-Encoding: chunked", "Content-Length: 0") +
			"0\r\n\r\n", 400},
		{"chunks", head("POST "+path, right, kind, "Transfer-Encoding: chunked") + "2\r\n{}\r\n0\r\n\r\n", 400},
		{"two lengths", head("POST "+path, right, kind, "Content-Length: 2", "Content-Length: 3") + "{}", 400},
		{"a length that is no number", head("POST "+path, right, kind, "Content-Length: +2") + "{}", 400},
		{"an unknown coding", head("POST "+path, right, kind, "Content-Length: 2", "Transfer-Encoding: x") + "{}", 501},
		{"a body where none belongs", head("GET "+path, right, "Content-Length: 3") + "abc", 400},
		{"a larger body than declared", head("POST "+path, right, kind, "Content-Length: 1") + "{}", 400},
		{"no token", head("POST "+path, kind, "Content-Length: 2") + "{}", 401},
		{"a token nobody has", head("POST "+path, "Authorization: Bearer "+strings.Repeat("A", 43), kind,
			"Content-Length: 2") + "{}", 401},
		{"another type", head("POST "+path, right, "Content-Type: text/plain", "Content-Length: 2") + "{}", 415},
		{"a body that is too large", head("POST "+path, right, kind, fmt.Sprintf("Content-Length: %d", 1<<20)), 413},
		{"a wrong method", head("PUT "+path, right, kind, "Content-Length: 2") + "{}", 405},
		{"another host", strings.Replace(head("GET "+path, right), r.host, "evil.test", 1), 421},
		{"another origin", head("GET "+path, right, "Origin: https://evil.test"), 403},
		{"an unknown address", head("GET /nothing/here/at/all", right), 404},
		{"a query", head("GET "+path+"?x=1", right), 400},
		{"a state that does not allow it", head("POST "+path, right, kind, "Content-Length: 2") + "{}", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			statuses, closed := r.spoken(c.first + hidden)
			if len(statuses) != 1 || statuses[0] != c.status || !closed {
				t.Errorf("answers %v, closed %t; want %d alone, and the end", statuses, closed, c.status)
			}
		})
	}
	t.Run("a refusal does not wait for the rest of the body, and reads nothing after it", func(t *testing.T) {
		conn, err := net.Dial("tcp", r.host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, head("POST "+path, kind, "Content-Length: 100")+"{"); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != 401 || !resp.Close {
			t.Fatalf("%v %+v", err, resp)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		// The server reads the rest so that the response is not lost. Then it closes the
		// connection.
		if _, err := io.WriteString(conn, strings.Repeat(" ", 99)+hidden); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%v, more answers: %q", err, rest)
		}
	})
	t.Run("what is right keeps the connection", func(t *testing.T) {
		r.t = t
		whole := strings.Replace(hidden, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
		if statuses, closed := r.spoken(hidden + whole); len(statuses) != 2 || statuses[0] != 200 || statuses[1] != 200 ||
			!closed {
			t.Errorf("answers %v, closed %t", statuses, closed)
		}
	})
	if p, err := r.desk.Check(t.Context(), token); err != nil || p.Kind != pagetoken.Connect {
		t.Error(p, err)
	}
}
