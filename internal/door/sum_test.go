package door_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/door"
)

// TestSum: a client whose environment writes the server's address differently asks for no
// other server.
func TestSum(t *testing.T) {
	if door.Sum("https://Node.example:443/") != door.Sum("https://node.example") {
		t.Error("two texts of one address differ")
	}
	if door.Sum("https://node.example") == door.Sum("https://node.example:9000") || door.Sum("8765") == door.Sum("8766") {
		t.Error("two values are the same")
	}
}
