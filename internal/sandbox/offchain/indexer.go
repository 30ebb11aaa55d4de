// Package offchain simulates DeepBook's indexer with past prices.
package offchain

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sandbox/httpjson"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// indexerLag is how far the indexer is behind the chain.
const indexerLag = 3 * time.Second

// Defaults of a candle query.
const (
	candlesLimit  = 1000
	candlesWindow = 7 * 24 * time.Hour
)

// services implements the DeepBook indexer with the quirks of mainnet's: "ohclv", milliseconds,
// newest first, errors in plain text.
type services struct {
	ledger *ledger.Ledger
	tape   tape // past trades; immutable
}

// Register generates past trades around the current books, and serves the indexer's paths.
func Register(mux *http.ServeMux, l *ledger.Ledger, seed int64) {
	s, own := &services{l, newTape(seed, l)}, http.NewServeMux()
	own.HandleFunc("GET /status", s.serveStatus)
	own.HandleFunc("GET /get_pools", s.servePools)
	own.HandleFunc("GET /ohclv/{pool}", s.serveCandles)
	for _, path := range []string{"/status", "/get_pools", "/ohclv/"} {
		mux.Handle(path, own) // checks methods itself
	}
}

// indexerStatus is the part of /status with which clients check whether prices are current.
type indexerStatus struct {
	Status     string            `json:"status"`
	Checkpoint uint64            `json:"latest_onchain_checkpoint"`
	Now        int64             `json:"current_time_ms"`
	Behind     int               `json:"max_checkpoint_lag"`
	Lag        int64             `json:"max_time_lag_seconds"`
	Pipelines  []json.RawMessage `json:"pipelines"`
}

// serveStatus reports a lag of a few seconds, like mainnet's indexer.
func (s *services) serveStatus(w http.ResponseWriter, _ *http.Request) {
	httpjson.Write(w, http.StatusOK, indexerStatus{
		Status: "OK", Now: s.ledger.Now().UnixMilli(), Lag: int64(indexerLag / time.Second), Pipelines: []json.RawMessage{},
	})
}

// indexerPool is one entry of /get_pools.
type indexerPool struct {
	ID            string `json:"pool_id"`
	Name          string `json:"pool_name"`
	Base          string `json:"base_asset_id"`
	BaseDecimals  uint8  `json:"base_asset_decimals"`
	BaseSymbol    string `json:"base_asset_symbol"`
	BaseName      string `json:"base_asset_name"`
	Quote         string `json:"quote_asset_id"`
	QuoteDecimals uint8  `json:"quote_asset_decimals"`
	QuoteSymbol   string `json:"quote_asset_symbol"`
	QuoteName     string `json:"quote_asset_name"`
	Min           uint64 `json:"min_size"`
	Lot           uint64 `json:"lot_size"`
	Tick          uint64 `json:"tick_size"`
}

// servePools lists the pools with prices.
func (s *services) servePools(w http.ResponseWriter, _ *http.Request) {
	list := []indexerPool{}
	for _, t := range s.tape.tracks {
		p := t.pool
		list = append(list, indexerPool{
			ID: p.ID.String(), Name: p.Key,
			Base: string(p.Base.Type), BaseDecimals: p.Base.Decimals, BaseSymbol: p.Base.Symbol, BaseName: p.Base.Symbol,
			Quote: string(p.Quote.Type), QuoteDecimals: p.Quote.Decimals, QuoteSymbol: p.Quote.Symbol, QuoteName: p.Quote.Symbol,
			Min: p.Min, Lot: p.Lot, Tick: p.Tick,
		})
	}
	httpjson.Write(w, http.StatusOK, list)
}

// serveCandles serves the candles of one pool. An invalid start or end is ignored, as on mainnet.
func (s *services) serveCandles(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(s.tape.tracks, func(t track) bool { return t.pool.Key == r.PathValue("pool") })
	if i < 0 {
		http.Error(w, "Pool not found", http.StatusNotFound)
		return
	}
	query := r.URL.Query()
	width, ok := widths[cmp.Or(query.Get("interval"), "1m")]
	if !ok {
		http.Error(w, "Invalid interval", http.StatusBadRequest)
		return
	}
	now := s.ledger.Now()
	end := seconds(query.Get("end_time"), now)
	start := seconds(query.Get("start_time"), now.Add(-candlesWindow))
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		limit = candlesLimit
	}
	rows := [][]json.RawMessage{}
	t := s.tape.tracks[i]
	for _, k := range s.tape.candles(t, width, start, end, max(limit, 0), now) {
		rows = append(rows, k.row(t.pool))
	}
	httpjson.Write(w, http.StatusOK, map[string]any{"candles": rows})
}

// seconds converts a time in milliseconds to seconds, rounded down. It returns otherwise if text is
// not a number.
func seconds(text string, otherwise time.Time) int64 {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return otherwise.Unix()
	}
	return ms / 1000
}

// row returns a candle as six JSON numbers: milliseconds, open, high, low, close, base volume.
func (k tapeCandle) row(p *clob.Pool) []json.RawMessage {
	price := 9 + p.Quote.Decimals - p.Base.Decimals
	return []json.RawMessage{
		json.RawMessage(strconv.FormatInt(k.opens*1000, 10)),
		printed(k.open, price), printed(k.high, price), printed(k.low, price), printed(k.close, price),
		printed(k.volume, p.Base.Decimals),
	}
}
