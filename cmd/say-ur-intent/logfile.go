package main

import (
	"os"
	"sync"
)

// maxLog is the size in bytes at which a log file is rotated.
const maxLog = 1 << 20

// logFile is a log file of limited size. When it is full, it is renamed with the suffix .1 and
// started over. Write errors are ignored.
type logFile struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

// Write appends to the log.
func (l *logFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil && l.size+int64(len(b)) > maxLog {
		_ = l.file.Close()
		_ = os.Rename(l.path, l.path+".1")
		l.file = nil
	}
	if l.file == nil {
		f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return len(b), nil
		}
		l.file, l.size = f, 0
		if info, err := f.Stat(); err == nil {
			l.size = info.Size()
		}
	}
	n, _ := l.file.Write(b)
	l.size += int64(n)
	return len(b), nil
}
