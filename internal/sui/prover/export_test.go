package prover

// Wait waits for background work that was begun.
func (c *Chain) Wait() { c.work.Wait() }
