package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// step is a requested transaction of a bundle. It specifies either a transaction that another
// program built, in Payload or Hex, or an intent or review, as in the tool for AI clients.
type step struct {
	ID       *string `json:"id"`
	Sequence *int64  `json:"sequence"`
	Chain    *string `json:"chain"`
	Action   *string `json:"action"`
	Mode     *string `json:"signing_mode"`
	Payload  *string `json:"keysign_payload"`
	Hex      *string `json:"unsigned_tx_hex"`

	Intent   json.RawMessage `json:"intent"`
	Review   *string         `json:"review_session_id"`
	Session  *string         `json:"reviewSessionId"` // alternative name of review_session_id
	ResultOf *string         `json:"resultOf"`
	Manager  *string         `json:"managerOf"`
	Share    *string         `json:"share"`
	Coin     *string         `json:"coin"`

	Context *chainContext `json:"chain_context"`
	Details *stepDetails  `json:"tx_details"`
	Wait    *bool         `json:"wait_for_receipt"`
	Timeout *int64        `json:"receipt_timeout_seconds"`
}

type chainContext struct {
	ChainID *string `json:"chain_id"`
	Path    *string `json:"derive_path"`
	Type    *string `json:"tx_type"`
}

type stepDetails struct {
	Description  *string `json:"description"`
	From         *string `json:"from"`
	To           *string `json:"to"`
	Value        *string `json:"value"`
	TokenSymbol  *string `json:"token_symbol"`
	Amount       *string `json:"amount_human"`
	ContractName *string `json:"contract_name"`
	GasLimit     *string `json:"gas_limit"`
}

type bundle struct {
	Transactions []step  `json:"transactions"`
	Skip         *bool   `json:"skip_approval"`
	Label        *string `json:"bundle_label"`
}

// StepResult is the result of one transaction in a bundle.
type StepResult struct {
	ID       string  `json:"id"`
	Sequence int64   `json:"sequence"`
	Chain    string  `json:"chain"`
	TxHash   *string `json:"tx_hash"` // null if it was not submitted
	Status   string  `json:"status"`
	Error    *string `json:"error"`
	// Message explains how to fix a rejected transaction, and Protocols lists the choices for its
	// intent.
	Message   string   `json:"message,omitempty"`
	Protocols []string `json:"availableProtocols,omitempty"`
}

// BundleData is the data of sign_transaction_bundle. Transactions after the first failure are
// omitted.
type BundleData struct {
	Transactions []StepResult `json:"transactions"`
	Success      bool         `json:"bundle_success"`
	Skipped      *bool        `json:"skip_approval_honoured,omitempty"` // set to false if skip_approval was requested
}

var (
	signingModes = []string{"ecdsa_secp256k1", "eddsa_ed25519"}
	evmTypes     = []string{"legacy", "eip1559", "eip2930"}
	suiTypes     = []string{"transaction_data", "transaction_kind"}
)

// signBundle validates a whole bundle. It rejects transactions for other chains. Transaction
// material is not kept after the call.
func signBundle(params json.RawMessage) (w work, ok bool) {
	in, err := strictjson.Decode[bundle](params)
	if err != nil || !within(len(in.Transactions), MostSteps) {
		return w, false
	}
	if _, short := text(in.Label); !short {
		return w, false
	}
	ids, places := map[string]bool{}, map[int64]bool{}
	for _, s := range in.Transactions {
		if !s.valid() || ids[*s.ID] || places[*s.Sequence] {
			return w, false
		}
		ids[*s.ID], places[*s.Sequence] = true, true
	}
	steps := slices.SortedFunc(slices.Values(in.Transactions), func(a, b step) int {
		return cmp.Compare(*a.Sequence,
			*b.Sequence)
	})
	if why := elsewhere(steps); why != nil {
		w.do = func(context.Context, *Executor, Tx) (any, error) { return nil, in.refused(steps, why) }
		return w, true
	}
	return carried(in, steps), true
}

// elsewhere returns a refusal for each step on another chain, or nil if there is none.
func elsewhere(steps []step) (all Refusals) {
	for _, s := range steps {
		switch c, known := book.FindChain(*s.Chain); {
		case !known:
			all = append(all, &Refusal{Word: string(book.UnknownChain), Text: "The chain is unknown.", Step: *s.ID})
		case c.Name != book.SuiChain:
			all = append(all, &Refusal{Word: UnsupportedChain, Text: "Transactions are signed on Sui only.", Step: *s.ID})
		}
	}
	return all
}

// foreign reports whether another program built the step's transaction.
func (s step) foreign() bool { return s.Payload != nil || s.Hex != nil }

// wishes reports whether the step has an intent.
func (s step) wishes() bool { return len(s.Intent) > 0 && string(s.Intent) != "null" }

// single reports whether the step specifies its transaction in exactly one way, and refers to
// another step's result only with an intent.
func (s step) single() bool {
	ways := 0
	for _, way := range []bool{s.Payload != nil, s.Hex != nil, s.wishes(), s.Review != nil, s.Session != nil} {
		if way {
			ways++
		}
	}
	part := s.ResultOf != nil || s.Manager != nil || s.Share != nil || s.Coin != nil
	return ways == 1 && (s.Hex == nil || s.Context != nil) && (s.wishes() || !part)
}

// valid checks one step on its own. It does not decode encoded members.
func (s step) valid() bool {
	if s.ID == nil || *s.ID == "" || plainID(*s.ID) != *s.ID || s.Sequence == nil || *s.Sequence < 0 || s.Chain == nil ||
		len(*s.Chain) > mostID {
		return false
	}
	//mutant:never ./internal/actions TestBundles
	if !s.single() {
		return false
	}
	if s.Mode != nil && !slices.Contains(signingModes, *s.Mode) || s.Timeout != nil && (*s.Timeout < 5 ||
		*s.Timeout > 600) {
		return false
	}
	texts := []*string{s.Action, s.Review, s.Session, s.ResultOf, s.Manager, s.Share, s.Coin}
	if d := s.Details; d != nil {
		texts = append(texts, d.Description, d.From, d.To, d.Value, d.TokenSymbol, d.Amount, d.ContractName, d.GasLimit)
	}
	if c := s.Context; c != nil {
		texts = append(texts, c.ChainID, c.Path)
		types := evmTypes
		if chain, _ := book.FindChain(*s.Chain); chain.Name == book.SuiChain {
			types = suiTypes
		}
		if c.Type != nil && !slices.Contains(types, *c.Type) {
			return false
		}
	}
	return !slices.ContainsFunc(texts, func(t *string) bool { _, short := text(t); return !short })
}
