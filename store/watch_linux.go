package store

import (
	"context"
	"os"
	"syscall"
)

// watchWrites returns a channel that receives after a file was written, by whichever
// process, until ctx ends; nil where the system does not tell. Several writes may be
// reported as one.
func watchWrites(ctx context.Context, path string) <-chan struct{} {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "inotify")
	if _, err := syscall.InotifyAddWatch(fd, path, syscall.IN_MODIFY); err != nil {
		_ = f.Close()
		return nil
	}
	written := make(chan struct{}, 1)
	stop := context.AfterFunc(ctx, func() { _ = f.Close() })
	go func() {
		defer stop()
		defer func() { _ = f.Close() }()
		events := make([]byte, 64*syscall.SizeofInotifyEvent)
		for {
			if _, err := f.Read(events); err != nil {
				return
			}
			select {
			case written <- struct{}{}:
			default:
			}
		}
	}()
	return written
}
