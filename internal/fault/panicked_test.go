package fault

import (
	"errors"
	"strings"
	"testing"
)

func divide(by int) (n int, err error) {
	defer Recover(&err)
	return 1 / by, nil
}

func refuse(secret string) (err error) {
	defer Recover(&err)
	panic("the key is " + secret)
}

// A panic is an error that says where it was, and nothing that was in hand.
func TestRecover(t *testing.T) {
	if n, err := divide(1); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	_, err := divide(0)
	var p *Panic
	if !Is(err, InternalError) || !errors.As(err, &p) {
		t.Fatalf("%v", err)
	}
	if text := p.Error(); !strings.Contains(text, "integer divide by zero") || !strings.Contains(text, "fault.divide:") {
		t.Errorf("%s", text)
	}
	err = refuse("suiprivkey1secret")
	if !errors.As(err, &p) || strings.Contains(p.Error()+err.Error(), "secret") || !strings.Contains(p.Error(), "string") {
		t.Errorf("%v, %v", err, p)
	}
}
