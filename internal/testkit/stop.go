package testkit

// Dir returns the data directory, for another process over the same store.
func (h *Harness) Dir() string { return h.dir }

// Stop ends the service and its watcher, as the end of its process does; the
// store stays open to look into. Restart begins another service.
func (h *Harness) Stop() { h.close() }
