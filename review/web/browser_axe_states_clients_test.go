//go:build clients

package web_test

import "testing"

// TestBrowserAxeStates runs other tests with axe-core, which checks every state of which they take
// pictures: bundles, signatures of a multisig account's members, an account on a hardware wallet,
// What if with its result, the ladder of an order, and the console.
func TestBrowserAxeStates(t *testing.T) {
	inBrowser(t)
	for name, test := range map[string]func(*testing.T){
		"bundle one by one": TestBrowserSteps, "bundle at once": TestBrowserStepsAtOnce,
		"bundle stopped": TestBrowserStepsStopped, "bundle failed": TestBrowserStepFails,
		"multisig": TestBrowserMultiSig, "multisig step": TestBrowserMultiSigStep, "device": TestBrowserDevice,
		"what if": TestBrowserWhatIf, "home": TestBrowserHomeDay, "order": TestBrowserOrders,
	} {
		t.Run(name, test)
	}
}
