package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "say-ur-intent-client does not work on this system: use say-ur-intent.")
	os.Exit(1)
}
