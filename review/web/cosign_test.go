package web_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/cosign"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// cosigning returns the released payment of a multisig account, and the pages of another member
// with the token of a tab.
func cosigning(t *testing.T) (other *rig, token, file string, members []multiMember) {
	t.Helper()
	ctx := context.Background()
	j := newJob(t, nil)
	members = []multiMember{newMember(21), newMember(22), newMember(23)}
	m := accountOf(members...)
	j.fund(m.Address())
	i, err := j.accounts.Create(ctx)
	if err == nil {
		err = j.accounts.Opened(ctx, i.ID)
	}
	if err == nil {
		_, err = j.accounts.ConnectMultiSig(ctx, i.ID, m.Address(), m)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := j.reviews.Prepare(ctx, pay("1.5", "SUI", payee))
	if err == nil {
		s, err = j.reviews.Opened(ctx, s.ID)
	}
	if err == nil {
		s, err = j.reviews.ComputeNow(ctx, s.ID, s.Revision)
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := j.reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment)
	if err == nil {
		file, err = cosign.Write(s.Network, s.ChainID, m, o.Bytes)
	}
	if err != nil {
		t.Fatal(err)
	}
	other = memberRig(t, j)
	return other, other.wide(pagetoken.Sign, pagetoken.SignSubject), file, members
}

const signPath = "/api/sign/sign"

// TestCosign checks that a signature of a member's wallet is verified before it is sent back.
func TestCosign(t *testing.T) {
	r, token, file, members := cosigning(t)
	if a := r.do("POST", signPath+"/view", token, fields{"file": file}); a.status != http.StatusOK ||
		!strings.Contains(a.body, "Read from the bytes of this file") {
		t.Fatalf("%d %s", a.status, a.body)
	}
	a := r.do("POST", signPath+"/bytes", token, fields{"file": file})
	raw, err := base64.StdEncoding.DecodeString(a.text("bytes"))
	if err != nil || !slices.Equal(raw, transactionOf(t, file)) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	check := func(signature []byte) answer {
		return r.do("POST", signPath+"/check", token, fields{"file": file,
			"signature": base64.StdEncoding.EncodeToString(signature)})
	}
	if a := check(members[1].sign(raw)); a.status != http.StatusOK || a.text("member") != members[1].address().String() {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := check(newMember(40).sign(raw)); a.status != http.StatusBadRequest || !strings.Contains(a.body,
		"which is not a member") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := check(members[0].sign(raw[1:])); a.status != http.StatusBadRequest || !strings.Contains(a.body,
		"another transaction") {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, path := range []string{"/view", "/bytes"} {
		if a := r.do("POST", signPath+path, token, fields{"file": "{}"}); a.status != http.StatusBadRequest {
			t.Errorf("%s of something else: %d %s", path, a.status, a.body)
		}
	}
}

// TestCosignFrozen checks that nothing is passed to a wallet while signing is paused.
func TestCosignFrozen(t *testing.T) {
	r, token, file, _ := cosigning(t)
	looker := r.token(pagetoken.Home, pagetoken.HomeSubject)
	if a := r.do("POST", "/api/freeze", looker, fields{}); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	if a := r.do("POST", signPath+"/view", token, fields{"file": file}); !strings.Contains(a.body,
		"Everything is stopped") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := r.do("POST", signPath+"/bytes", token, fields{"file": file}); a.status == http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestCosignLookalike checks that a recipient that only looks like the account itself is rejected.
func TestCosignLookalike(t *testing.T) {
	r, token, file, _ := cosigning(t)
	f, tx, err := cosign.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	alike := f.Account
	alike[10] ^= 1
	for i, in := range tx.Inputs {
		if pure, ok := in.(sui.PureInput); ok {
			if to, ok := pure.Address(); ok && to == sui.MustAddress(payee) {
				tx.Inputs[i] = sui.PureAddress(alike)
			}
		}
	}
	raw, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if file, err = cosign.Write(f.Network, f.ChainID, f.Members, sui.NewMaterial(raw)); err != nil {
		t.Fatal(err)
	}
	if a := r.do("POST", signPath+"/bytes", token, fields{"file": file}); !strings.Contains(a.body,
		"only resembles your own account") {
		t.Errorf("%d %s", a.status, a.body)
	}
}
