package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/fault"
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
	d.server(ctx, in)
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

// server says whether the server of the data directory runs, and who started it; if none
// does, whether the last one failed to start, and whether the port of the pages is free.
func (d *doctor) server(ctx context.Context, in store.Inspection) {
	var is serverStatus
	err := d.s.askServer(d.p, door.KindStatus, &is)
	switch {
	case err == nil && is.Why != "":
		d.warn("server", is.sentence(), "Other AI clients share it while its own client runs. "+
			"Allow this program to start processes that outlive it, or use "+dataDirVariable+" to give each client its own data.")
		d.ok("pages", "Served at %s.", is.Pages)
		return
	case err == nil:
		d.ok("server", "%s", is.sentence())
		d.ok("pages", "Served at %s.", is.Pages)
		return
	case !errors.Is(err, door.ErrAbsent):
		d.fail("server", "A server runs and does not answer: "+err.Error()+".", "End it, and start an AI client again.")
		return
	}
	if why := lastFailure(d.s.dataDir); why != "" {
		d.warn("server", "None runs, and the last start failed: "+why+".",
			"Mend that; an AI client starts the server again. The file "+filepath.Join(d.s.dataDir, serverLog)+" has more.")
	} else {
		d.ok("server", "None runs; the first AI client starts it.")
	}
	d.port(ctx, in)
}

// lastFailure returns why the last server ended, if it could not start.
func lastFailure(dir string) string {
	f, err := os.Open(filepath.Join(dir, serverLog))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const most = 4 << 10
	if info, err := f.Stat(); err == nil && info.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	why, failed := strings.CutPrefix(lines[len(lines)-1], serveFailed)
	if !failed {
		return ""
	}
	return strings.TrimSuffix(why, ".")
}

// port checks that the port of the pages is free.
func (d *doctor) port(ctx context.Context, in store.Inspection) {
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
			"End that program, or name another port. Until then the pages take another one.")
	default:
		d.warn("pages", fmt.Sprintf("Another program has port %d, which the pages had.", port),
			"End that program. Until then the pages take another port, and wallets ask again whether they may connect.")
	}
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
