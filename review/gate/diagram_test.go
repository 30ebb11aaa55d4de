package gate

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// chartLine matches every valid line of a flowchart.
var chartLine = regexp.MustCompile(`^(flowchart LR|  [gic]\d*\["[A-Za-z0-9 .,:_#;]*"\]|  [gic]\d* -->(\|result \d+\|)? c\d+)$`)

func drawable() *sui.Transaction {
	pool := sui.MustAddress("0x9001")
	return &sui.Transaction{
		Sender: lawAccount, Gas: sui.Gas{Owner: lawAccount, Payment: []sui.ObjectRef{lawRef}},
		Inputs: []sui.Input{
			sui.SharedInput{ID: pool, InitialVersion: 3, Mutable: true}, sui.PureU64(1_000), sui.PureAddress(lawAccount),
			sui.OwnedInput{Ref: lawRef}, sui.PureInput{Bytes: make([]byte, 900)}, sui.SharedInput{ID: sui.MustAddress("0x6")},
			sui.ReceivingInput{Ref: lawRef}, sui.WithdrawalInput{MaxAmount: 5},
		},
		Commands: []sui.Command{
			sui.MergeCoins{Into: sui.GasCoin, Sources: []sui.Argument{sui.InputArg(3)}},
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(1)}},
			sui.MoveCall{Package: pool, Module: "pool", Function: "swap", TypeArgs: []sui.TypeTag{sui.SUI.Tag()},
				Arguments: []sui.Argument{sui.InputArg(0), sui.NestedArg(1, 0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(2)}, Recipient: sui.InputArg(2)},
			sui.Publish{}, sui.MakeMoveVec{Elements: []sui.Argument{sui.InputArg(4)}},
			sui.Upgrade{Package: pool, Ticket: sui.ResultArg(5)},
		},
	}
}

func TestFlowchart(t *testing.T) {
	tx := drawable()
	raw, err := flowchart(tx, nil, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	named, err := flowchart(tx, map[sui.Address]string{lawAccount: "your account", sui.MustAddress("0x9001"): "SUI_USDC"},
		20_000)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-414 every line is one of a flowchart", func(t *testing.T) {
		for _, text := range []string{raw, named} {
			for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				if !chartLine.MatchString(line) {
					t.Errorf("%q", line)
				}
			}
			for _, arrow := range []string{"g --> c0", "i3 --> c0", "c1 -->|result 1| c2", "c2 --> c3", "i2 --> c3"} {
				if !strings.Contains(text, "  "+arrow+"\n") {
					t.Errorf("no %s in\n%s", arrow, text)
				}
			}
		}
		if !strings.Contains(raw, lawAccount.String()) || strings.Contains(named, lawAccount.String()) ||
			!strings.Contains(named, "your account") ||
			!strings.Contains(named, "SUI_USDC") {
			t.Errorf("names are not where they belong:\n%s\n%s", raw, named)
		}
	})
	t.Run("R004-415 R004-416 no bytes and no digests", func(t *testing.T) {
		if strings.Contains(raw, strings.Repeat("00", 33)) || strings.Contains(raw, lawRef.Digest.String()) {
			t.Errorf("%s", raw)
		}
	})
	t.Run("hostile text is never unescaped", func(t *testing.T) {
		for _, hostile := range []string{`"]; click c0 "javascript:alert(1)"`, "a\n  c9[\"x\"]", "%%{init: {}}%%",
			"</text><script>", "#quot;",
			"`md`", "a\u202eb", "a\u200bb", "--> c0", "]}|>", "end", strings.Repeat("x", 5000)} {
			tx := drawable()
			tx.Commands[2] = sui.MoveCall{Package: sui.MustAddress("0x9001"), Module: hostile, Function: hostile}
			tx.Commands[3] = sui.TransferObjects{Objects: []sui.Argument{sui.InputArg(3)}, Recipient: sui.InputArg(2)}
			text, err := flowchart(tx, map[sui.Address]string{lawAccount: hostile}, 20_000)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				if !chartLine.MatchString(line) {
					t.Errorf("%q: %q", hostile, line)
				}
			}
			if strings.Contains(text, "#8238;") || strings.Contains(text, "#8203;") {
				t.Errorf("a hidden character is drawn: %q", text)
			}
		}
	})
	t.Run("an argument that refers to nothing is no drawing", func(t *testing.T) {
		tx := drawable()
		tx.Commands[0] = sui.MergeCoins{Into: sui.GasCoin, Sources: []sui.Argument{sui.InputArg(99)}}
		if _, err := flowchart(tx, nil, 20_000); err == nil {
			t.Error("it was drawn")
		}
	})
	t.Run("R004-414 never longer than allowed", func(t *testing.T) {
		tx := drawable()
		for range 3000 {
			tx.Commands = append(tx.Commands, tx.Commands[1])
		}
		if _, err := flowchart(tx, nil, 20_000); err == nil || !strings.Contains(err.Error(), "20000") {
			t.Errorf("%v", err)
		}
	})
}

func TestVisualization(t *testing.T) {
	whole := assembled()
	whole.tx = drawable()
	r, err := assemble(whole)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-414 R004-415 R004-417 it stands beside the contract and holds nothing executable", func(t *testing.T) {
		f := finding(r, nil)
		v := f.State.Visualization
		if f.State.Contract == nil || v == nil || v.ExecutableMaterial.Included || v.Mermaid.DiagramType != "flowchart" ||
			!strings.HasPrefix(v.Mermaid.Text, "flowchart") || v.GeneratedAt != lawTime || len(v.Diagnostics) == 0 ||
			v.Source.BoundToCommitment != r.commitment {
			t.Fatalf("%+v", v)
		}
	})
	t.Run("R004-416 R004-419 what it must not be used for is said", func(t *testing.T) {
		for _, use := range []string{"transaction_building", "wallet_authorization", "signing_data", "signing_readiness",
			"payment_execution_readiness", "route_recommendation", "simulation_replacement"} {
			if !strings.Contains(strings.Join(r.visual.UnsupportedUse, " "), use) {
				t.Errorf("%s is not named", use)
			}
		}
	})
	t.Run("R004-418 without a drawing the contract stands", func(t *testing.T) {
		whole := assembled()
		whole.tx, whole.c.Limits.MostDiagram = drawable(), 10
		r, err := assemble(whole)
		if err != nil || r.contract == nil || r.visual != nil {
			t.Fatal(err)
		}
		f := finding(r, nil)
		if f.State.Status != record.Ready || f.State.Checks[0].ID != "deepbook_ptb_visualization_unavailable" ||
			f.State.Checks[0].Status != plan.CheckWarning {
			t.Errorf("%+v", f.State.Checks[0])
		}
	})
}
