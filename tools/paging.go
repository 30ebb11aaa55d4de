package tools

import "github.com/sayurintent/sayurintent/tools/tool"

// Maximum number of rows in an answer.
const (
	mostPinned = 50 // for pinned lists
	mostFound  = 20 // for objects found on chain
)

// listOffset is the number of rows to skip.
type listOffset int64

// Shape implements tool.Shaped.
func (listOffset) Shape() tool.Shape { return tool.AtLeast(0) }

// pageOf returns at most most rows after the skipped ones, and the offset of the next page, or nil
// if there is none.
func pageOf[T any](all []T, skip listOffset, most int) ([]T, *int) {
	from := int(min(int64(skip), int64(len(all))))
	to := min(from+most, len(all))
	if to == len(all) {
		return all[from:], nil
	}
	return all[from:to], &to
}
