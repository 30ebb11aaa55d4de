package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/instance"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/store"
)

// dialTime bounds the look at a port of this machine.
const dialTime = 500 * time.Millisecond

// data checks the data directory, the database, what is stored in it, and who
// serves the pages.
func (d *doctor) data(ctx context.Context) {
	if d.s.dataDir == "" {
		d.ok("data", "The sandbox keeps its data in a temporary directory of each run; SAY_UR_INTENT_DATA_DIR names a lasting one.")
		d.port(ctx, store.Inspection{})
		return
	}
	in := store.Inspect(ctx, d.s.dataDir)
	d.directory(in)
	d.database(in)
	d.records(in)
	d.useStored(in.Stored)
	d.followed = in.Followed
	d.port(ctx, in)
}

func (d *doctor) directory(in store.Inspection) {
	if in.HasDir {
		switch {
		case in.Trouble != nil && !in.HasFile:
			d.fail("data", words(in.Trouble), d.remedy(in.Trouble))
		case !writable(in.Dir):
			d.fail("data", "This user may not write to "+in.Dir+".", "Give it back to this user: chown and chmod 700.")
		default:
			d.ok("data", "%s, this user's alone to write.", in.Dir)
		}
		return
	}
	parent := filepath.Dir(in.Dir)
	info, err := os.Stat(parent)
	for err != nil && filepath.Dir(parent) != parent {
		parent = filepath.Dir(parent)
		info, err = os.Stat(parent)
	}
	switch {
	case err == nil && !info.IsDir():
		d.fail("data", fmt.Sprintf("%s cannot be made, for %s is no directory.", in.Dir, parent), "Move that file away, or set SAY_UR_INTENT_DATA_DIR.")
	case !writable(parent):
		d.fail("data", fmt.Sprintf("%s cannot be made: this user may not write to %s.", in.Dir, parent), "Set SAY_UR_INTENT_DATA_DIR to a directory of this user.")
	default:
		d.ok("data", "%s is made by the first start.", in.Dir)
	}
}

func (d *doctor) database(in store.Inspection) {
	switch {
	case !in.HasFile:
		if in.Trouble == nil {
			d.ok("database", "None yet; the first start makes it.")
		}
	case in.Trouble != nil:
		d.fail("database", words(in.Trouble), d.remedy(in.Trouble))
	case in.Unfinished:
		d.warn("database", "A process ended without closing it, so it was not read.", "Start Say Ur Intent once: that takes the last changes in, and loses nothing.")
	case in.Lost:
		d.warn("database", "Its last changes are missing: a transaction may have been handed to a wallet that is not in it. "+
			"No transaction is handed to a wallet until you lift the stop.",
			"Look at the history of your wallets, then lift the stop on the settings page.")
	case in.Format != in.Newest:
		d.ok("database", "Sound; of format %d, which the next start brings to %d. SQLite %s.", in.Format, in.Newest, in.Engine)
	case in.Unsettled > 0:
		d.warn("database", fmt.Sprintf("Sound. Reviews whose transaction has no result yet: %d.", in.Unsettled),
			"Start your AI client, or say-ur-intent pages, so that the results are read from the chain.")
	default:
		d.ok("database", "Sound; format %d, SQLite %s.", in.Format, in.Engine)
	}
}

// remedy says what to do about a data directory that is refused.
func (d *doctor) remedy(trouble error) string {
	switch fault.As(trouble).Detail.Get("store") {
	case "file_newer":
		return "Install the newest version of Say Ur Intent."
	case "file_shared", "directory_writable", "parent_writable":
		return "Run that command, and then this again."
	case "log_foreign", "log_alone", "file_empty":
		return "Do that; the first start then shows whether everything is there."
	case "file_version":
		return "Put the data directory back from a copy, or set SAY_UR_INTENT_DATA_DIR to another one."
	case "busy":
		return "Run this again in a moment."
	}
	return "Name another data directory with SAY_UR_INTENT_DATA_DIR, or move this one away to start anew."
}

// useStored takes the addresses that the person stored, as the server does.
func (d *doctor) useStored(stored settings.Stored) {
	d.s.useStored(stored, func(_ settings.Which, err error) {
		d.warn("settings", "A stored address cannot be used, so the default is: "+words(err), "Correct it on the settings page.")
	})
}

// port checks who answers where the pages are to be.
func (d *doctor) port(ctx context.Context, in store.Inspection) {
	if in.CardTrouble != nil {
		d.fail("pages", words(in.CardTrouble), "Remove that file; the process that serves the pages writes it anew.")
		return
	}
	if in.Card != nil {
		if done := d.serving(ctx, in.Card); done {
			return
		}
	}
	port, named := d.s.port, d.s.port != 0
	if !named && in.HasDir {
		port = keptPort(in.Dir)
	}
	switch {
	case port == 0:
		d.ok("pages", "Not served now. The first start takes a port of its own and keeps it.")
	case !answers(ctx, port):
		d.ok("pages", "Not served now. Port %d of 127.0.0.1 is free for them.", port)
	case named:
		d.fail("pages", fmt.Sprintf("Another program has port %d, which SAY_UR_INTENT_REVIEW_PORT names.", port),
			"End that program, or name another port. Without its port the server does not start.")
	default:
		d.warn("pages", fmt.Sprintf("Another program has port %d, which the pages had.", port),
			"End that program. Until then the pages take another port, and wallets ask again whether they may connect.")
	}
}

// serving asks the process that says it serves the pages for its proof; done
// means that this settles the matter.
func (d *doctor) serving(ctx context.Context, text []byte) (done bool) {
	card, err := instance.Parse(text)
	if err != nil {
		d.warn("pages", words(err), "Start Say Ur Intent; the process that serves the pages writes the file anew.")
		return true
	}
	err = card.Challenge(ctx, rand.Reader)
	switch {
	case err == nil:
		d.ok("pages", "Served at %s by process %d, which proved it.", card.Origin, card.PID)
		return true
	case errors.Is(err, instance.ErrForeign):
		d.fail("pages", fmt.Sprintf("Another program answers at %s, where the pages were, and cannot prove that it is Say Ur Intent.", card.Origin),
			"Do not open links to that address. Find out which program that is, and end it.")
		return true
	}
	return false // nobody serves them; the file is of an earlier time
}

// answers reports whether anything listens on a port of this machine.
func answers(ctx context.Context, port int) bool {
	dialer := net.Dialer{Timeout: dialTime}
	c, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
