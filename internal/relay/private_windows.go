package relay

// private accepts every file: on Windows the user's data directory is already private.
func private(string) error { return nil }
