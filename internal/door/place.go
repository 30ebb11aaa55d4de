package door

import (
	"errors"
	"path/filepath"
)

// DirVariable is the environment variable with the parent of all data directories.
const DirVariable = "SAY_UR_INTENT_DATA_DIR"

// DataDir returns a network's data directory. It returns "" for a temporary one, which a sandbox
// uses unless the environment sets a directory.
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
		return "", errors.New("this machine has no directory for application data (" + err.Error() + "): set " + DirVariable)
	}
	return filepath.Join(base, "say-ur-intent", network), nil
}

// DisplayVariables returns the variables needed to start a browser on the user's desktop. They do
// not include BROWSER, which is the name of a program. A client's configuration must not choose the
// program that receives the link of a browser session.
func DisplayVariables() []string {
	return []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP",
		"DBUS_SESSION_BUS_ADDRESS"}
}
