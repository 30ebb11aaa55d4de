// Package install adds this program to the configuration files of AI clients, and removes it. It
// knows where each client keeps its file on each system, and the format of entries in that file. It
// changes one entry and no other byte.
//
// It prints nothing, starts nothing and reads no clock. Callers pass the environment and the time.
// It does not repair files: if it cannot parse one, it reports the line and column and writes
// nothing.
package install
