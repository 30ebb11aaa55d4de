package tools_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestInspectionProof checks that a reported transaction is compared with what validators signed.
func TestInspectionProof(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	ask := `{"digest":"` + w.values["txDigest"] + `","detail":"full"}`
	t.Run("proved", func(t *testing.T) {
		same(t, w.must(toolOfInspection, ask), map[string]any{"proof.state": "proved", "proof.signers": 3.0,
			"proof.validators": 4.0})
	})
	for name, retell := range map[string]func(*sui.PastTransaction){
		"a failure":          func(p *sui.PastTransaction) { p.Status = sui.PastFailed },
		"another checkpoint": func(p *sui.PastTransaction) { *p.Checkpoint++ },
		"another epoch":      func(p *sui.PastTransaction) { *p.Epoch++ },
		"less gas":           func(p *sui.PastTransaction) { p.Gas.Computation-- },
		"another time":       func(p *sui.PastTransaction) { p.Timestamp = p.Timestamp.Add(-time.Hour) },
		"an event left out":  func(p *sui.PastTransaction) { p.Events.Items = p.Events.Items[1:] },
		"an event twice": func(p *sui.PastTransaction) {
			p.Events.Items = append(p.Events.Items,
				p.Events.Items[0])
		},
		"an event of another":        func(p *sui.PastTransaction) { p.Events.Items[0].Type = p.Events.Items[1].Type + "X" },
		"an event of somebody":       func(p *sui.PastTransaction) { p.Events.Items[0].Sender = &sui.Address{1} },
		"an event of other contents": func(p *sui.PastTransaction) { p.Events.Items[0].Contents = []byte{1} },
	} {
		t.Run("told otherwise: "+name, func(t *testing.T) {
			w.retells = retell
			defer func() { w.retells = nil }()
			if answer, _ := w.call(toolOfInspection, ask); answer.Fault == nil || answer.Fault.Code != fault.ProviderMismatch {
				t.Error(answer.Text)
			}
		})
	}
	t.Run("forged", func(t *testing.T) {
		w.Inject(sandbox.Fault{Kind: sandbox.OtherStatusBytes, Times: 1})
		if answer, _ := w.call(toolOfInspection, ask); answer.Fault == nil || answer.Fault.Code != fault.ProviderMismatch {
			t.Error(answer.Text)
		}
	})
	t.Run("newer than this program", func(t *testing.T) {
		w.Inject(sandbox.Fault{Kind: sandbox.NewerContents, Times: 1})
		same(t, w.must(toolOfInspection, ask), map[string]any{"proof.state": "told", "found": true})
	})
	t.Run("signatures come later", func(t *testing.T) {
		w.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "GetCheckpoint", Times: 1})
		same(t, w.must(toolOfInspection, ask), map[string]any{"proof.state": "told_pending", "found": true})
		same(t, w.must(toolOfInspection, ask), map[string]any{"proof.state": "proved"})
	})
}

const toolOfInspection = "read.inspect_sui_transaction"
