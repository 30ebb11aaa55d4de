// Package install writes this program's entry into the configuration files of AI clients. It knows
// where each client keeps its file on each system, and the format of a server's entry there. It
// sets or removes one entry without changing any other byte.
//
// It prints nothing, runs nothing, and reads no clock: callers pass the environment and the time.
// It never repairs a file. If it cannot read one, it reports line and column and writes nothing.
package install
