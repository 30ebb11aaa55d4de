package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// txClaims are the values that the user wants to check a transaction against.
type txClaims struct {
	signatures []sui.Signature
	commitment string
	address    *sui.Address
}

func txVerifyCommand(p process) *cobra.Command {
	var signatures []string
	var commitment, address, proofFile string
	cmd := &cobra.Command{Use: "verify [FILE | BASE64 | -]", Short: "Check a transaction's digest, signatures and proof",
		Long: "Recomputes the digest and the commitment, and checks the values that you pass.\n" +
			"With --proof it checks, without a node, that validators signed the result of a transaction.\n\n" + aboutTx,
		Example: examples("say-ur-intent tx verify --commitment HEX transaction.b64",
			"say-ur-intent tx verify --signature BASE64 --address 0x… transaction.b64",
			"say-ur-intent tx verify --proof proof.json")}
	flags := cmd.Flags()
	flags.StringArrayVar(&signatures, "signature", nil, "signature to check, in `BASE64`; may be repeated")
	flags.StringVar(&commitment, "commitment", "", "commitment of the review, in `HEX`")
	flags.StringVar(&address, "address", "", "`ADDRESS` that must have signed")
	flags.StringVar(&proofFile, "proof", "", "`FILE` with a saved proof of the validators, or -")
	cmd.ValidArgsFunction = files
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if flags.Changed("proof") {
			return runTxProof(p, proofFile, len(args) > 0 || flags.NFlag() > 1)
		}
		return runTxVerify(p, signatures, commitment, address, args)
	}
	return cmd
}

// runTxVerify computes the digest and the commitment, and checks every claim. The exit code is 1 if
// a claim is false, or if only a node could check it.
func runTxVerify(p process, signatures []string, commitment, address string, args []string) error {
	claims, err := parseTxClaims(signatures, commitment, address)
	if err != nil {
		return bad(err)
	}
	b, t, err := readTx(p, args)
	if err != nil {
		return bad(err)
	}
	printTxNames(p.Stdout, b, t)
	if !claims.hold(p, sui.NewMaterial(b), t) {
		return exitStatus(exitFailed)
	}
	return nil
}

func parseTxClaims(signatures []string, commitment, address string) (txClaims, error) {
	var c txClaims
	for _, s := range signatures {
		parsed, err := sui.ParseSignature(strings.Join(strings.Fields(s), ""))
		if err != nil {
			return c, err
		}
		c.signatures = append(c.signatures, parsed)
	}
	if commitment != "" {
		c.commitment = strings.ToLower(strings.TrimPrefix(commitment, "0x"))
		if b, err := hex.DecodeString(c.commitment); err != nil || len(b) != 32 {
			return c, errors.New("a commitment is 64 hexadecimal digits")
		}
	}
	if address != "" {
		a, err := sui.ParseAccount(address)
		if err != nil {
			return c, err
		}
		c.address = &a
	}
	return c, nil
}

// hold prints the result of each check, and reports whether all passed.
func (c txClaims) hold(p process, m sui.Material, t *sui.Transaction) bool {
	all := true
	say := func(ok bool, format string, args ...any) {
		mark := "ok    "
		if !ok {
			mark, all = "FAILED", false
		}
		fmt.Fprintf(p.Stdout, "%s      %s\n", mark, fmt.Sprintf(format, args...))
	}
	again, err := t.Encode()
	say(err == nil && m.Same(again), "the bytes decode completely and re-encode identically")
	if c.commitment != "" {
		say(c.commitment == sui.Commitment(m.Digest()), "commitment %s", c.commitment)
	}
	if c.address != nil && len(c.signatures) == 0 {
		say(*c.address == t.Sender, "the sender is %s", c.address)
	}
	for _, s := range c.signatures {
		signers, err := s.Signers(m)
		if err != nil && !errors.Is(err, sui.ErrLeftToNode) {
			say(false, "signature: %s", fault.As(err).Text)
			continue
		}
		signer := signers[0]
		if c.address != nil && slices.Contains(signers, *c.address) {
			signer = *c.address
		}
		switch {
		case c.address != nil && signer != *c.address:
			say(false, "%s signature: made by %s, not by %s", s.Scheme(), signer, c.address)
		case err != nil:
			say(false, "%s signature of %s: only a Sui node can check it", s.Scheme(), signer)
		case c.address == nil && signer != t.Sender && signer != t.Gas.Owner:
			say(false, "%s signature: made by %s, which is neither sender nor gas owner", s.Scheme(), signer)
		default:
			say(true, "%s signature by %s%s", s.Scheme(), signer, roleOf(signer, t))
		}
	}
	return all
}

// roleOf describes the signer's role in the transaction.
func roleOf(signer sui.Address, t *sui.Transaction) string {
	switch signer {
	case t.Sender:
		return ", the sender"
	case t.Gas.Owner:
		return ", the gas owner"
	}
	return ""
}
