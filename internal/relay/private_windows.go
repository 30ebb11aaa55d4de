package relay

// private accepts every file, because the data directory on Windows is private to the user.
func private(string) error { return nil }
