package double

import "syscall"

// roomInMemory is how much must be free there: containers often have a few MiB.
const roomInMemory = 1 << 30

// inMemory returns a directory whose files are in memory, or "" for none.
func inMemory() string {
	const place = "/dev/shm"
	var s syscall.Statfs_t
	if err := syscall.Statfs(place, &s); err != nil || s.Bavail*uint64(s.Bsize) < roomInMemory {
		return ""
	}
	return place
}
