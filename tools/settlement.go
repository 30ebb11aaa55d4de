package tools

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the tools about settlement assets.

// denomination names a group of settlement assets in the user's words.
type denomination string

// Shape implements tool.Shaped.
func (denomination) Shape() tool.Shape { return tool.Shape{MinLength: 1, MaxLength: 40} }

// requiredTool is a tool that an answer depends on.
type requiredTool struct {
	Tool      string `json:"tool" description:"name of the tool"`
	Available bool   `json:"available" description:"this server has it"`
}

// sourceStatus states whether this server can answer the question.
type sourceStatus struct {
	Package  string         `json:"packageName" description:"name of the program"`
	Version  string         `json:"packageVersion" description:"version of the program"`
	Policy   string         `json:"evidencePolicyVersion" description:"version of the rules of use"`
	Network  string         `json:"network" description:"network of this server"`
	Count    int            `json:"implementedToolsCount" description:"number of available tools"`
	Required []requiredTool `json:"requiredTools" description:"tools that this answer depends on"`
	Usable   bool           `json:"canUseThisResponseForUserAnswer" description:"true if all of them are included; if false, do not answer from this result"`
}

// Names of the tools about settlement assets.
const (
	toolGroups  = "read.list_settlement_asset_groups"
	toolParity  = "read.summarize_settlement_asset_group_parity"
	toolPreview = evidence.PaymentTool
)

// sourceStatusOf returns which of the tools in rests this server has. An answer that depends on a
// missing tool must not be used.
func sourceStatusOf(about About, rests ...string) sourceStatus {
	callable := about.callable()
	s := sourceStatus{
		Package: packageName, Version: about.Version, Policy: policyVersion, Network: about.Network, Usable: true,
		Required: []requiredTool{}, Count: len(callable),
	}
	for _, name := range rests {
		live := slices.Contains(callable, name)
		s.Required = append(s.Required, requiredTool{name, live})
		s.Usable = s.Usable && live
	}
	return s
}

// sourceStatusPath is the path of the flag that must be true before an answer is used.
const sourceStatusPath = "answerSourceStatus.canUseThisResponseForUserAnswer"

// assetSymbol is a symbol of a settlement asset.
type assetSymbol string

// Shape implements tool.Shaped.
func (assetSymbol) Shape() tool.Shape { return coinSymbol("").Shape() }

// heldAsset is an account's balance of one asset of a group.
type heldAsset struct {
	coin
	Balance   sui.Raw     `json:"balance" description:"full balance in the smallest unit"`
	Display   sui.Decimal `json:"displayAmount" description:"its exact display form"`
	InAddress sui.Raw     `json:"addressBalance" description:"part in the address balance"`
}

func heldOf(h assets.Held) heldAsset {
	return heldAsset{coinOf(h.Coin), h.Balance.Total, h.Amount, h.Balance.Address}
}
