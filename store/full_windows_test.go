package store_test

import (
	"context"
	"errors"

	"github.com/sayurintent/sayurintent/store"
)

// fill has no way to fill a disk here.
func fill(context.Context, *store.DB) error { return errors.ErrUnsupported }
