package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const (
	toolLocalSettings = "settings.get_local_settings"
	toolSettingsLink  = "settings.create_local_settings_session"
	// afterRestart states that a stored address takes effect after a restart.
	afterRestart = "mcp_server_restart"
)

type getSettingsIn struct{}

// addressSource states where the address in use comes from.
type addressSource settings.Source

// Values lists the sources by precedence, highest first.
func (addressSource) Values() []string {
	return []string{string(settings.FromFlag), string(settings.FromEnvironment), string(settings.FromStored),
		string(settings.FromDefault)}
}

type settingsAddress struct {
	Effective string        `json:"effectiveValue" description:"address that this process queries, without possible secrets"`
	Source    addressSource `json:"source" description:"source of the effective value"`
	Stored    string        `json:"storedValue,omitempty" description:"what the user stored"`
	Default   string        `json:"defaultValue" description:"value if nothing else is set"`
	Pending   string        `json:"pendingStoredValue,omitempty" description:"takes effect later"`
	Applies   string        `json:"appliesAfter,omitempty" description:"time the pending value takes effect"`
}

// otherAddresses holds the addresses that have no member of their own, by name.
type otherAddresses map[string]settingsAddress

type spendingLimit struct {
	Symbol string       `json:"symbol,omitempty" description:"symbol of the pinned registry"`
	Coin   sui.CoinType `json:"coinType" description:"type of the coin"`
	Most   string       `json:"displayAmount,omitempty" description:"maximum as a decimal amount"`
	Raw    string       `json:"rawAmount" description:"maximum in raw units"`
	Used   string       `json:"usedDisplayAmount,omitempty" description:"for a 24-hour limit: amount used now"`
	Left   string       `json:"leftDisplayAmount,omitempty" description:"for a 24-hour limit: amount left now"`
}

type spendingLimits struct {
	PerTransaction []spendingLimit `json:"perTransaction" description:"maximum of a coin in one transaction; a coin not listed has no limit"`
	PerDay         []spendingLimit `json:"perDay" description:"maximum of a coin in 24 hours; a coin not listed has no limit"`
}

type allowedProtocols struct {
	Every bool     `json:"everyOne" description:"whether every protocol is allowed"`
	Only  []string `json:"only" description:"slugs that are allowed, when not every one is"`
}

type allowedRecipients struct {
	Every bool          `json:"everyOne" description:"whether all recipients are allowed"`
	Only  []sui.Address `json:"only" description:"addresses that may receive something other than the account, when not every one may"`
}

type sharedHow struct {
	Profile string `json:"profile" description:"name by which other machines find this one"`
	Server  string `json:"natsServer" description:"address of the NATS server"`
}

type getSettingsOut struct {
	Network    string            `json:"network" description:"network of this server"`
	GRPC       settingsAddress   `json:"suiGrpcUrl" description:"the Sui node in use"`
	GraphQL    settingsAddress   `json:"suiGraphqlUrl" description:"the Sui GraphQL service in use"`
	Others     otherAddresses    `json:"otherServices,omitempty" description:"other addresses that differ from the default, by name, such as suiArchiveUrl"`
	Limits     spendingLimits    `json:"spendingLimits" description:"the user's spending limits for reviews"`
	Protocols  allowedProtocols  `json:"allowedProtocols" description:"which protocols reviews may use"`
	Recipients allowedRecipients `json:"allowedRecipients" description:"recipients that reviews can pay"`
	ProvedOnly bool              `json:"onlyProvedResultsAreFinal,omitempty" description:"a result stays open until validators sign it"`
	Requests   int               `json:"requestsPerAccountInTenMinutes" description:"maximum number of reviews and bundles"`
	Material   bool              `json:"externalTransactionMaterial,omitempty" description:"transactions built by other programs may be sent here"`
	Sharing    *sharedHow        `json:"sharing,omitempty" description:"AI clients on other machines are served"`
	Frozen     bool              `json:"frozen,omitempty" description:"true while signing is paused"`
	Changed    string            `json:"changedBy" description:"who can change settings"`
}

// settingsGetLocalSettings returns the user's settings, so that a client can explain why a request
// is blocked and which node was used.
func settingsGetLocalSettings(local localSettings, network string) tool.Tool {
	return tool.Declare(tool.Spec[getSettingsIn, getSettingsOut]{
		Name:      toolLocalSettings,
		Title:     "Get local settings",
		Summary:   "Returns the addresses in use and their sources, spending limits and allow lists.",
		Untrusted: []tool.Origin{tool.FromPerson},
		Effect:    tool.ReadsLocal,
		Cases: []tool.Case[getSettingsOut]{{
			Name: "settings",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.LocalSettings, evidence.SpendingLimits},
				Cannot: evidence.NotLogin().And(evidence.Claims{evidence.SettingsChanged, evidence.AccountBalance,
					evidence.SigningReadiness, evidence.ExecutionSafety}),
				Answer: []string{"suiGrpcUrl", "suiGraphqlUrl", "spendingLimits", "allowedProtocols", "allowedRecipients"},
				Rules:  []string{"changedBy"},
				Next:   evidence.Ask(toolSettingsLink, "Only the user changes settings, on that page.").Reading("settingsUrl"),
			},
		}},
		Examples: []tool.Example{
			{Name: "nothing is set", Given: givenNothing, In: `{}`, Case: "settings"},
			{Name: "limits", Given: givenLimits, In: `{}`, Case: "settings"},
		},
		Run: func(c tool.Call, _ getSettingsIn) (getSettingsOut, error) {
			v, err := local.View(c.Context())
			if err != nil {
				return getSettingsOut{}, err
			}
			out := getSettingsOut{
				Others:  otherAddresses{},
				Network: network, GRPC: showAddress(v.Addresses[settings.GRPC]),
				GraphQL:    showAddress(v.Addresses[settings.GraphQL]),
				Limits:     spendingLimits{showLimits(v.PerTransaction), showLimits(v.PerDay)},
				Protocols:  allowedProtocols{len(v.Allowance.Protocols) == 0, append([]string{}, v.Allowance.Protocols...)},
				Recipients: allowedRecipients{len(v.Allowance.Recipients) == 0, append([]sui.Address{}, v.Allowance.Recipients...)},
				ProvedOnly: v.Allowance.ProvedOnly, Requests: v.Allowance.MostRequests(),
				Material: v.Switches[settings.Material] > settings.Off, Frozen: v.Frozen,
				Changed: "the_person_on_the_settings_page_only",
			}
			for _, a := range v.Addresses {
				if set := a.InForce.Source != settings.FromDefault || a.AfterRestart; set && a.Which != settings.GRPC &&
					a.Which != settings.GraphQL {
					out.Others[a.Which.Info().Member()] = showAddress(a)
				}
			}
			if s := v.Sharing; s.On {
				out.Sharing = &sharedHow{s.Profile, s.URL}
			}
			return out, nil
		},
	})
}

// showAddress returns an address without the parts that could be secret.
func showAddress(a settings.Address) settingsAddress {
	out := settingsAddress{Effective: a.Shown(), Source: addressSource(a.InForce.Source), Default: a.Default}
	if a.Stored != "" {
		out.Stored = settings.Shown(a.Stored)
	}
	if a.AfterRestart {
		out.Pending, out.Applies = out.Stored, afterRestart
		if a.Stored == "" {
			out.Pending = a.Default
		}
	}
	return out
}

func showLimits(lines []policy.Line) []spendingLimit {
	out := []spendingLimit{}
	for _, l := range lines {
		limit := spendingLimit{Coin: l.Coin.Type, Raw: l.Raw}
		if l.Known {
			limit.Symbol, limit.Most, limit.Used, limit.Left = l.Coin.Symbol, l.Most, l.Used, l.Left
		}
		out = append(out, limit)
	}
	return out
}
