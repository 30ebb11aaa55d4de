package relay

// private accepts every file: on Windows the directory of the user's data is theirs alone.
func private(string) error { return nil }
