package tools

import "github.com/sayurintent/sayurintent/tools/tool"

// How many rows one answer has at most.
const (
	mostPinned = 50 // of a pinned list
	mostFound  = 20 // of what was found on chain
)

// listOffset is how many rows of a list are skipped.
type listOffset int64

// Shape bounds it.
func (listOffset) Shape() tool.Shape { return tool.AtLeast(0) }

// pageOf returns the rows of a list after those that are skipped, and the offset of the next
// page: nil after the last one.
func pageOf[T any](all []T, skip listOffset, most int) ([]T, *int) {
	from := int(min(int64(skip), int64(len(all))))
	to := min(from+most, len(all))
	if to == len(all) {
		return all[from:], nil
	}
	return all[from:to], &to
}
