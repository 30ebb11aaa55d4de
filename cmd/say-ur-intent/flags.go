package main

import (
	"errors"
	"flag"
	"io"
)

// quietFlags makes a flag set that reports by its error alone.
func quietFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// parseMixed reads flags before, between and after the other arguments, which
// it gives back; help means that help was asked for.
func parseMixed(f *flag.FlagSet, args []string) (rest []string, help bool, err error) {
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		if f.NArg() == 0 {
			return rest, false, nil
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}
