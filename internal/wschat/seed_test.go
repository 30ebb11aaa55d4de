package wschat

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// TestEveryTool sends each of the four tools over a socket. The connection's project and session
// are filled in if a message omits them.
func TestEveryTool(t *testing.T) {
	for ids, tool := range map[string]string{"R001-23 R001-24": "grep_file", "R001-33 R001-34": "read_file",
		"R001-41 R001-42": "call_chain", "R001-48 R001-49": "apply_change"} {
		t.Run(ids+" sent with both ids: "+tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, editor, echo, nil)
				done := b.call(tool, map[string]any{"x": "y"})
				m, _ := b.next()
				want := map[string]any{"x": "y", "projectKey": editor.Project, "webSocketSessionId": editor.Session}
				if c := m.Call; c.Tool != tool || c.Session != editor.Session || fmt.Sprint(c.Params) != fmt.Sprint(want) {
					t.Errorf("%+v", c)
				}
				b.send(resultOf(m.Call.ID, "fine"))
				<-done
			})
		})
		t.Run("R001-11 R001-59 R001-60 "+ids+" executed for this connection only: "+tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, backend, echo, nil)
				for params, refused := range map[string]string{`{}`: "",
					`{"projectKey":"autoloop","webSocketSessionId":"test-123"}`: "",
					`{"projectKey":"other"}`:                                    "projectKey",
					`{"webSocketSessionId":"other"}`:                            "webSocketSessionId"} {
					b.send(callOf("1", tool, params))
					m, text := b.next()
					if m.Result.Success != (refused == "") || !strings.Contains(m.Result.Error, refused) {
						t.Errorf("%s: %s", params, text)
					}
					if m.Result.Success && !strings.Contains(m.Result.Text, `"projectKey":"autoloop"`) {
						t.Errorf("%s: the tool does not get the project: %s", params, text)
					}
				}
			})
		})
	}
}

// TestUnmatchedResult sends a result that no call waits for while another call is pending.
func TestUnmatchedResult(t *testing.T) {
	const logged = "⚠️ 未找到对应的工具调用: toolCallId="
	for name, check := range map[string]func(t *testing.T, b *bench){
		"R001-54 it is logged in the protocol's words": func(t *testing.T, b *bench) {
			b.send(resultOf("nobody", "x"))
			synctest.Wait()
			if !strings.Contains(b.log.String(), logged+`nobody"`) {
				t.Error(b.log)
			}
		},
		"R001-55 it is false, and dropped": func(t *testing.T, b *bench) {
			if b.socket.HandleToolResult(Result{ID: "nobody"}) {
				t.Error("true")
			}
			b.silent("it is answered")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, editor, echo, nil)
				pending := b.call("grep_file", nil)
				m, _ := b.next()
				check(t, b)
				b.send(resultOf(m.Call.ID, "fine"))
				if got := <-pending; got.text != "fine" || got.err != nil {
					t.Errorf("the pending call got %+v", got)
				}
				synctest.Wait()
				if strings.Contains(b.log.String(), logged+m.Call.ID) {
					t.Errorf("the pending call's own result is logged as unmatched: %s", b.log)
				}
			})
		})
	}
}
