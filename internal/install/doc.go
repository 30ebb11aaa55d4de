// Package install knows the AI clients whose configuration this program writes:
// where each keeps it on each system, what an entry for a stdio server looks
// like there, and how to set or remove one entry while every other byte of the
// file stays as it was.
//
// It prints nothing, runs nothing, and reads no clock: the environment and the
// time are handed in. It never repairs a file. What it cannot read it refuses
// with line and column, and then nothing is written.
package install
