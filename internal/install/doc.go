// Package install writes this program's entry into the configuration files of AI clients. It
// knows where each client has its file on each system and what an entry for a stdio server looks
// like there, and sets or removes one entry without changing any other byte.
//
// It prints nothing, runs nothing, and reads no clock: callers pass the environment and the
// time. It never repairs a file: if it cannot read one, it reports line and column, and nothing
// is written.
package install
