package door

import "runtime/debug"

// Unstamped is the version of a program that was built without a linker stamp.
const Unstamped = "dev"

// Version returns the version that the linker set or, if there is none, the module version that the
// Go command recorded. Both programs use it, because a client compares its version with the
// server's.
func Version(stamped string) string {
	if stamped != Unstamped {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return Unstamped
	}
	return info.Main.Version
}
