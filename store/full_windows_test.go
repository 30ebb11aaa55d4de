package store_test

import (
	"context"
	"errors"

	"github.com/sayurintent/sayurintent/store"
)

// fill is not supported: this system has no file size limit.
func fill(context.Context, *store.DB) error { return errors.ErrUnsupported }
