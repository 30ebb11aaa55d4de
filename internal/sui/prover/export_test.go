package prover

// Wait waits for background work.
func (c *Chain) Wait() { c.work.Wait() }
