package stdio

import (
	"runtime"
	"sync"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

func TestPool(t *testing.T) {
	before := runtime.NumGoroutine()
	ended := make(chan struct{})
	w := newPool(ended)
	t.Run("all run at once", func(t *testing.T) {
		const many = 10 * idleMost
		var all sync.WaitGroup
		all.Add(many)
		met := make(chan struct{})
		for range many {
			w.run(func() { all.Done(); <-met })
		}
		all.Wait() // all run at the same time
		close(met)
	})
	t.Run("a few are kept, and serve again", func(t *testing.T) {
		double.Until(t, "those too many end", func() bool {
			return len(w.idle) == idleMost &&
				runtime.NumGoroutine() <= before+idleMost+1
		})
		for range 100 {
			served := make(chan struct{})
			w.run(func() { close(served) })
			<-served
			double.Until(t, "it waits again", func() bool { return len(w.idle) == idleMost })
		}
		if n := runtime.NumGoroutine(); n > before+idleMost+1 { // one more for this subtest
			t.Errorf("%d goroutines for calls, one after another", n-before)
		}
	})
	t.Run("none is left at the end", func(t *testing.T) {
		close(ended)
		double.Until(t, "they end", func() bool { return runtime.NumGoroutine() <= before+1 })
	})
}
