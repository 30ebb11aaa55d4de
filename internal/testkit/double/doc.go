// Package double has the small stand-ins that tests of every layer share: a clock,
// a maker of ids, a wait for what must come, and a directory in memory. It imports
// nothing of the product, so that the lowest packages can use it.
package double
