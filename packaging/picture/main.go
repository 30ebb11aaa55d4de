// Command picture makes the moving picture of the README from the real pages:
//
//	go run ./packaging/picture -program bin/say-ur-intent -out docs/tour.gif
//
// It runs `demo --tour`, is the person whom the tour leads, and takes pictures of what
// that person sees, in Chromium. -frames DIR keeps the single pictures as well.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	program := flag.String("program", "bin/say-ur-intent", "the program")
	out := flag.String("out", "docs/tour.gif", "the picture")
	frames := flag.String("frames", "", "a folder for the single pictures")
	theme := flag.String("theme", "light", "light or dark")
	flag.Parse()
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Minute)
	defer stop()
	if err := run(ctx, *program, *out, *frames, *theme); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// run takes the tour and writes the picture.
func run(ctx context.Context, program, out, frames, theme string) error {
	b, err := openBrowser(ctx, theme)
	if err != nil {
		return err
	}
	defer b.close()
	tour := exec.CommandContext(ctx, program, "demo", "--tour")
	// Without a display the tour starts no browser, and prints its links alone.
	tour.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=", "NO_COLOR=1")
	tour.Stderr = os.Stderr
	lines, err := tour.StdoutPipe()
	if err != nil {
		return err
	}
	if err := tour.Start(); err != nil {
		return err
	}
	defer func() {
		_ = tour.Process.Signal(os.Interrupt)
		_ = tour.Wait()
	}()
	film := &film{browser: b}
	if err := follow(film, bufio.NewScanner(lines)); err != nil {
		return err
	}
	if frames != "" {
		for i, f := range film.frames {
			if err := os.MkdirAll(frames, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(frames, fmt.Sprintf("%02d.png", i)), f.png, 0o644); err != nil {
				return err
			}
		}
	}
	return write(out, film.frames)
}

// follow does at each link what a person does there.
func follow(f *film, lines *bufio.Scanner) error {
	step := 0
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if !strings.HasPrefix(line, "http://127.0.0.1:") {
			continue
		}
		if step >= len(scenes) {
			return fmt.Errorf("the tour shows more pages than the %d that are known", len(scenes))
		}
		if err := scenes[step](f, line); err != nil {
			return fmt.Errorf("page %d of the tour: %w", step+1, err)
		}
		if step++; step == len(scenes) {
			return nil
		}
	}
	return fmt.Errorf("the tour ended after %d of %d pages: %v", step, len(scenes), lines.Err())
}
