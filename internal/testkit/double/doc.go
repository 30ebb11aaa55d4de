// Package double has small test doubles for every layer: a clock, a wait for conditions, and a
// directory in memory. It imports no product code, so the lowest packages can use it.
package double
