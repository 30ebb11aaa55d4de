package testkit

// Dir returns the data directory, for another process on the same store.
func (h *Harness) Dir() string { return h.dir }

// Stop ends the service and its watcher, as the end of its process does. The store stays open for
// inspection. Restart starts another service.
func (h *Harness) Stop() { h.close() }
