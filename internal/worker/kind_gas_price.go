package worker

import (
	"context"
	"encoding/json"
	"strconv"
)

type gasPriceOut struct {
	Epoch string `json:"epoch"`
	Price string `json:"reference_gas_price"` // in MIST
}

// gasPrice returns the reference gas price of the current epoch.
func (s Sources) gasPrice(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
	e, err := s.Node.Epoch(ctx)
	return gasPriceOut{strconv.FormatUint(e.Number, 10), strconv.FormatUint(e.GasPrice, 10)}, err
}
