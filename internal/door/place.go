package door

import (
	"errors"
	"path/filepath"
)

// DirVariable names the parent of all data directories.
const DirVariable = "SAY_UR_INTENT_DATA_DIR"

// DataDir returns the data directory of a network, "" for a temporary one, which a sandbox
// has unless the environment names a place.
func DataDir(network string, getenv func(string) string) (string, error) {
	if base := getenv(DirVariable); base != "" {
		if !filepath.IsAbs(base) {
			return "", errors.New(DirVariable + " must be an absolute path")
		}
		return filepath.Join(base, network), nil
	}
	if network == "sandbox" {
		return "", nil
	}
	base, err := userDataDir(getenv)
	if err != nil {
		return "", errors.New("this machine names no place for application data (" + err.Error() + "): set " + DirVariable)
	}
	return filepath.Join(base, "say-ur-intent", network), nil
}

// DisplayVariables returns the variables needed to start a browser on the user's desktop. BROWSER
// is not among them: it names a program, and a client's configuration must not choose the program
// that receives a browser session's link.
func DisplayVariables() []string {
	return []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP",
		"DBUS_SESSION_BUS_ADDRESS"}
}
