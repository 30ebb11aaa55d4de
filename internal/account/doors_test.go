package account_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mr-tron/base58"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestReportsHoldNoSecrets puts a phrase into every text that a page posts, and transaction bytes
// in any form into what AI clients receive.
func TestReportsHoldNoSecrets(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t)
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	screentest.Each(t, "wallet", phrase, "", 7, func(*account.Report) {}, func(path string, r account.Report) {
		id := p.reach(t, account.Connecting)
		if path == "wallet.failureDetail" {
			r.Status, r.Account, r.Chain, r.FailureReason = account.Failed, "", "", account.WalletProviderError
			i, err := p.Report(ctx, id, r)
			if err != nil || strings.Contains(i.FailureDetail, "sausage") || !strings.Contains(i.FailureDetail, "not stored") {
				t.Errorf("%s: %q, %v", path, i.FailureDetail, err)
			}
			return
		}
		_, err := p.Report(ctx, id, r)
		if err == nil || fault.As(err).Code != fault.InputInvalid || strings.Contains(err.Error(), "sausage") ||
			fault.As(err).Detail.Get("field") != path {
			t.Errorf("%s: %v", path, err)
		}
	})
	released := make([]byte, 260)
	_, _ = rand.NewChaCha8([32]byte{}).Read(released)
	clear(released[60:90]) // addresses such as 0x2 are mostly zeros
	for name, text := range map[string]string{
		"base64": base64.StdEncoding.EncodeToString(released), "base64url": base64.RawURLEncoding.EncodeToString(released),
		"hex": hex.EncodeToString(released), "base58": base58.Encode(released), "a piece": "Slush " +
			base64.StdEncoding.EncodeToString(released[:40]),
		"hex of a piece": "Slush " + hex.EncodeToString(released[:40]),
	} {
		for field, r := range map[string]account.Report{
			"name": {Status: account.Connecting, WalletName: text}, "id": {Status: account.Connecting, WalletName: "Slush",
				WalletID: text},
			"detail": {Status: account.Failed, FailureReason: account.WalletProviderError, FailureDetail: text},
		} {
			id := p.reach(t, account.Connecting)
			_, err := p.Report(ctx, id, r)
			if i, _ := p.Identity(ctx, id); i.WalletName != "Slush" || i.WalletID != "" || strings.Contains(i.FailureDetail,
				text[len(text)-20:]) {
				t.Errorf("%s as %s was kept: %q %q %q, %v", name, field, i.WalletName, i.WalletID, i.FailureDetail, err)
			}
		}
	}
}

// TestCorpora: pasted phrases are not stored in any name or detail, and innocent texts are.
func TestCorpora(t *testing.T) {
	long.Skip(t, "it replays the corpora of the fuzz tests")
	ctx := context.Background()
	p := newPlace(t)
	t.Run("R004-356 details", func(t *testing.T) {
		screentest.Door(t, 0, func(text string) bool {
			i, err := p.Report(ctx, p.reach(t, account.Connecting), account.Report{Status: account.Failed,
				FailureReason: account.WalletProviderError, FailureDetail: text})
			return err != nil || strings.Contains(i.FailureDetail, "message was not stored")
		})
	})
	t.Run("R004-356 names", func(t *testing.T) {
		screentest.Door(t, 0, func(text string) bool {
			_, err := p.Report(ctx, p.reach(t, account.Connecting), account.Report{Status: account.Connecting, WalletName: text})
			return err != nil && fault.As(err).Detail.Get("class") != ""
		})
	})
}
