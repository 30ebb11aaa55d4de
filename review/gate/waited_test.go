package gate

import (
	"testing"
	"time"
)

// TestAnswerInTime checks that an answer that has come is used although the time for it is over.
func TestAnswerInTime(t *testing.T) {
	late := time.NewTimer(0)
	defer late.Stop()
	for i := range 100 {
		from := make(chan *int, 1)
		from <- &i
		if waited(t.Context(), late, from) == nil {
			t.Fatalf("answer %d was dropped", i)
		}
	}
}
