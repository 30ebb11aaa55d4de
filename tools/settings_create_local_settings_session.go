package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// localSettings reads settings and creates sessions of the settings page. Only that page can change
// settings.
type localSettings interface {
	Session() (string, error)
	View(ctx context.Context) (settings.View, error)
}

type createSettingsIn struct{}

type createSettingsOut struct {
	Session     string    `json:"settingsSessionId" description:"id of the page"`
	URL         string    `json:"settingsUrl" description:"link for the user; works once, and opening it twice closes the page"`
	Opening     opened    `json:"opening" description:"how the page was opened; client_agreed is the client's claim"`
	OpenTarget  string    `json:"openTarget" description:"where to open the link"`
	AccessScope string    `json:"accessScope" description:"computers that can open the link"`
	Network     string    `json:"network" description:"network of this server"`
	ExpiresAt   time.Time `json:"expiresAt" description:"expiry of the link if unopened, UTC"`
}

// settingsCreateLocalSettingsSession creates a link to the page where the user changes settings. It
// does not change any setting.
func settingsCreateLocalSettingsSession(local localSettings, page opener, now func() time.Time,
	network string) tool.Tool {
	return tool.Declare(tool.Spec[createSettingsIn, createSettingsOut]{
		Name:  "settings.create_local_settings_session",
		Title: "Create local settings link",
		Summary: "Creates a link to the local page where the user sets nodes, limits and allow lists, and exports, " +
			"imports or erases data. No tool can.",
		Effect: tool.OpensSession,
		Errors: []fault.Code{fault.Blocked},
		Cases: []tool.Case[createSettingsOut]{{
			Name: "link",
			Use: evidence.Use{
				Can:    evidence.Claims{evidence.SettingsLink},
				Cannot: evidence.NotLogin().And(evidence.NotSigning(), evidence.Claims{evidence.SettingsChanged}),
				Answer: []string{"settingsUrl", "openTarget", "opening", "expiresAt"},
				Rules:  []string{"openTarget", "accessScope"},
				Next: evidence.Ask(toolLocalSettings, "The user changes settings on the page; afterwards this tool reads them.").
					Reading("suiGrpcUrl", "spendingLimits"),
			},
		}},
		Examples: []tool.Example{
			{Name: "link", Given: givenNothing, In: `{}`, Case: "link"},
			{Name: "no pages", Given: givenNoPages, In: `{}`, Fault: fault.Blocked},
		},
		Run: func(c tool.Call, _ createSettingsIn) (createSettingsOut, error) {
			id, err := local.Session()
			if err != nil {
				return createSettingsOut{}, err
			}
			ends := now().Add(pagetoken.LinkLife).UTC().Truncate(time.Second)
			url, err := page.link.make(c.Context(), pagetoken.Settings, id)
			if err != nil {
				return createSettingsOut{Session: id}, err
			}
			return createSettingsOut{Session: id, URL: url, Opening: linkOnly, OpenTarget: systemBrowser,
				AccessScope: loopbackOnly,
				Network:     network, ExpiresAt: ends}, nil
		},
		Undo: taking(page, pagetoken.Settings, func(out *createSettingsOut) string { return out.Session }),
		Asking: opening(page, pagetoken.Settings, func(out *createSettingsOut) (string, *opened) {
			return out.Session,
				&out.Opening
		}),
	})
}
