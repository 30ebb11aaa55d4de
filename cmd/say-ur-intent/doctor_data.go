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

// dialTime limits the check of a local port.
const dialTime = 500 * time.Millisecond

// data checks the data directory and its database, and which server serves the pages.
func (d *doctor) data(ctx context.Context) {
	if d.s.dataDir == "" {
		d.ok("data", "Each sandbox run uses a temporary directory. Set SAY_UR_INTENT_DATA_DIR to keep its data.")
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
			d.fail("data", "You cannot write to "+in.Dir+".", "Restore your ownership: chown and chmod 700.")
		default:
			d.ok("data", "%s is writable only by you.", in.Dir)
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
		d.fail("data", fmt.Sprintf("%s cannot be created because %s is not a directory.", in.Dir, parent),
			"Move that file away, or set SAY_UR_INTENT_DATA_DIR.")
	case !writable(parent):
		d.fail("data", fmt.Sprintf("%s cannot be created: you cannot write to %s.", in.Dir, parent),
			"Set SAY_UR_INTENT_DATA_DIR to a directory of yours.")
	default:
		d.ok("data", "%s is created at the first start.", in.Dir)
	}
}

func (d *doctor) database(in store.Inspection) {
	switch {
	case !in.HasFile:
		if in.Trouble == nil {
			d.ok("database", "None yet. It is created at the first start.")
		}
	case in.Trouble != nil:
		d.fail("database", words(in.Trouble), d.remedy(in.Trouble))
	case in.Unfinished:
		d.warn("database", "A process ended without closing it, so it was not read.",
			"Start Say Ur Intent once. That recovers the latest changes.")
	case in.Lost:
		d.warn("database",
			"Its latest changes are missing. A transaction that it does not contain may have been sent to a wallet. "+
				"Signing is paused until you resume it.",
			"Check the history in your wallets, then resume signing on the settings page.")
	case in.Format != in.Newest:
		d.ok("database", "Intact. Format %d, to be upgraded to %d at the next start. SQLite %s.", in.Format, in.Newest,
			in.Engine)
	case in.Unsettled > 0:
		d.warn("database", fmt.Sprintf("Intact. Transactions without a result: %d.", in.Unsettled),
			"Start your AI client or run say-ur-intent pages to read the results from the chain.")
	default:
		d.ok("database", "Intact. Format %d, SQLite %s.", in.Format, in.Engine)
	}
}

// remedy suggests what to do about a data directory that cannot be used.
func (d *doctor) remedy(trouble error) string {
	switch fault.As(trouble).Detail.Get("store") {
	case "file_newer":
		return "Install the newest version of Say Ur Intent."
	case "file_shared", "directory_writable", "parent_writable":
		return "Run that command, then run this again."
	case "log_foreign", "log_alone", "file_empty":
		return "Do that. The next start shows whether everything is complete."
	case "file_version":
		return "Restore the data directory from a backup, or set SAY_UR_INTENT_DATA_DIR to another one."
	case "busy":
		return "Run this again in a moment."
	}
	return "Set SAY_UR_INTENT_DATA_DIR to another directory, or move this one away to start over."
}

// useStored applies the user's stored addresses, as the server does.
func (d *doctor) useStored(stored settings.Stored) {
	d.s.useStored(stored, func(_ settings.Which, err error) {
		d.warn("settings", "A stored address is unusable, so the default is used: "+words(err),
			"Correct it on the settings page.")
	})
}

// server reports whether the data directory's server is running, and who started it. If none is
// running, it reports why the last start failed, if it did, and whether the pages' port is free.
func (d *doctor) server(ctx context.Context, in store.Inspection) {
	var is serverStatus
	err := d.s.askServer(d.p, door.KindStatus, &is)
	switch {
	case err == nil && is.Why != "":
		d.warn("server", is.sentence(), "Other AI clients share it while its own client runs. "+
			"Allow this program to start processes that outlive it, or use "+dataDirVariable+
			" to give each client its own data.")
		d.ok("pages", "Served at %s.", is.Pages)
		return
	case err == nil:
		d.ok("server", "%s", is.sentence())
		d.ok("pages", "Served at %s.", is.Pages)
		return
	case !errors.Is(err, door.ErrAbsent):
		d.fail("server", "A server is running but does not respond: "+err.Error()+".",
			"End its process, then restart your AI client.")
		return
	}
	if why := lastFailure(d.s.dataDir); why != "" {
		d.warn("server", "Not running, and the last start failed: "+why+".",
			"Fix that and restart your AI client. More details: "+filepath.Join(d.s.dataDir, serverLog)+".")
	} else {
		d.ok("server", "Not running. The first AI client starts it.")
	}
	d.port(ctx, in)
}

// lastFailure returns why the last server failed to start, or "".
func lastFailure(dir string) string {
	f, err := os.Open(filepath.Join(dir, serverLog))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const limit = 4 << 10
	if info, err := f.Stat(); err == nil && info.Size() > limit {
		_, _ = f.Seek(-limit, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	why, failed := strings.CutPrefix(lines[len(lines)-1], serveFailed)
	if !failed {
		return ""
	}
	return strings.TrimSuffix(why, ".")
}

// port checks that the pages' port is free.
func (d *doctor) port(ctx context.Context, in store.Inspection) {
	port, named := d.s.port, d.s.port != 0
	if !named && in.HasDir {
		port = keptPort(in.Dir)
	}
	switch {
	case port == 0:
		d.ok("pages", "Not in use now. The first start chooses a port and keeps it.")
	case !answers(ctx, port):
		d.ok("pages", "Not in use now. Port %d on 127.0.0.1 is available.", port)
	case named:
		d.fail("pages", fmt.Sprintf("Another program uses port %d, set by SAY_UR_INTENT_REVIEW_PORT.", port),
			"End that program or set another port. Until then the pages use a different one.")
	default:
		d.warn("pages", fmt.Sprintf("Another program uses port %d, the previous port of the pages.", port),
			"End that program. Until then the pages use another port, and wallets ask again for permission to connect.")
	}
}

// answers reports whether anything listens on a local port.
func answers(ctx context.Context, port int) bool {
	dialer := net.Dialer{Timeout: dialTime}
	c, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
