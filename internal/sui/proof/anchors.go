package proof

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// AnchorsFile is the path of the anchors in the repository; `make anchor` adds one.
const AnchorsFile = "internal/sui/proof/anchors.txt"

//go:embed anchors.txt
var anchorsText string

// Anchors returns all anchors ever shipped, oldest first.
var Anchors = sync.OnceValue(func() []Anchor {
	list, err := ReadAnchors(anchorsText)
	if err != nil {
		panic(err) // a test checks the file
	}
	return list
})

// ReadAnchors reads a file of anchors. It returns fault.InputInvalid for a malformed line, and for an
// anchor that is not newer than the previous one of its chain.
func ReadAnchors(text string) ([]Anchor, error) {
	var list []Anchor
	newest := map[sui.Digest]Anchor{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		a, err := readAnchor(line)
		if err != nil {
			return nil, fault.Wrap(err, fault.InputInvalid, "Line %d of the anchors is not an anchor.", i+1)
		}
		if before, ok := newest[a.Chain]; ok && (a.Epoch <= before.Epoch || a.Sequence <= before.Sequence) {
			return nil, fault.New(fault.InputInvalid, "Line %d of the anchors is not newer than the one before it.", i+1)
		}
		newest[a.Chain] = a
		list = append(list, a)
	}
	return list, nil
}

func readAnchor(line string) (a Anchor, err error) {
	part := strings.SplitN(line, " ", 6)
	if len(part) != 6 {
		return a, fault.New(fault.InputInvalid, "It has %d columns, not 6.", len(part))
	}
	a.Network, a.Source = part[0], part[5]
	if a.Chain, err = sui.ParseDigest(part[1]); err != nil {
		return a, err
	}
	if a.Epoch, err = strconv.ParseUint(part[2], 10, 64); err != nil {
		return a, err
	}
	if a.Sequence, err = strconv.ParseUint(part[3], 10, 64); err != nil {
		return a, err
	}
	a.Digest, err = sui.ParseDigest(part[4])
	return a, err
}

// String formats the anchor as a line of the file.
func (a Anchor) String() string {
	return fmt.Sprintf("%s %s %d %d %s %s", a.Network, a.Chain, a.Epoch, a.Sequence, a.Digest, a.Source)
}
