package arch

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

var pictured = regexp.MustCompile(`<rect class="own" x="\d+" y="(\d+)"[^>]*/><text[^>]*>([^<]+)</text>`)

// TestPicture: docs/rooms.svg shows packages that exist, and none imports a package of a row
// above its own.
func TestPicture(t *testing.T) {
	data, err := os.ReadFile("../../docs/rooms.svg")
	if err != nil {
		t.Fatal(err)
	}
	row := map[string]int{}
	for _, m := range pictured.FindAllStringSubmatch(string(data), -1) {
		row[m[2]], _ = strconv.Atoi(m[1])
	}
	if len(row) < 20 {
		t.Fatalf("only %d packages are found in the picture", len(row))
	}
	for pkg, y := range row {
		i := slices.IndexFunc(rooms, func(r room) bool { return r.path == pkg })
		if i < 0 {
			t.Errorf("the picture shows %s, and there is no such package", pkg)
			continue
		}
		for _, used := range rooms[i].imports {
			if above, shown := row[used]; shown && above < y {
				t.Errorf("%s imports %s, which is above it in the picture", pkg, used)
			}
		}
	}
}
