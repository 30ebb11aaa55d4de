package main

import (
	"fmt"
	"io"
	"strings"
)

// screen prints the demo: plain lines, or on a terminal colors and a progress line at the bottom.
type screen struct {
	out    io.Writer
	fancy  bool
	steps  int // number of steps; 0 disables the progress line
	number int // number of the current step
}

// newScreen returns a screen. Without a terminal that supports colors, or with NO_COLOR set, it
// prints plain text.
func newScreen(p process, steps int) *screen {
	fancy := p.screen != nil && p.screen() && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb"
	return &screen{out: p.Stdout, fancy: fancy, steps: steps}
}

// Terminal escape sequences.
const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	teal  = "\x1b[36m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
	erase = "\r\x1b[K"
)

// paint colors a text if the terminal supports colors.
func (s *screen) paint(colour, text string) string {
	if !s.fancy || text == "" {
		return text
	}
	return colour + text + plain
}

// stage begins the next step.
func (s *screen) stage(title string) {
	s.number++
	s.write(fmt.Sprintf("\n%s %s", s.paint(teal, fmt.Sprintf("%d.", s.number)), s.paint(bold, title)))
}

// say prints one line of a step. A label before a colon is printed in a fainter color.
func (s *screen) say(text string) {
	if label, rest, ok := strings.Cut(text, ":"); s.fancy && ok && strings.HasPrefix(rest, " ") && len(label) < 20 {
		text = s.paint(faint, label+":") + rest
	}
	s.write("   " + text)
}

// write prints a line above the progress line.
func (s *screen) write(line string) {
	if !s.fancy {
		fmt.Fprintln(s.out, line)
		return
	}
	fmt.Fprint(s.out, erase+strings.ReplaceAll(line, "\n", "\n"+erase)+"\n"+s.progress())
}

// progress returns the text of the progress line, or "" if there is none.
func (s *screen) progress() string {
	if s.steps == 0 || s.number > s.steps {
		return ""
	}
	return "   " + s.paint(green, strings.Repeat("━", 2*s.number)) + s.paint(faint, strings.Repeat("─",
		2*(s.steps-s.number))) +
		s.paint(faint, fmt.Sprintf(" %d of %d", s.number, s.steps))
}

// waiting replaces the progress line with the given text.
func (s *screen) waiting(text string) {
	if s.fancy {
		fmt.Fprint(s.out, erase+"   "+s.paint(faint, text))
	}
}

// end removes the progress line.
func (s *screen) end() {
	if s.fancy {
		fmt.Fprint(s.out, erase)
	}
}
