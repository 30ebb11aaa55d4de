package store_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/node"
)

// loosened opens a store's database without the store and removes the constraints of all columns,
// so that any value can be written.
func loosened(t *testing.T, dir string) *sql.DB {
	t.Helper()
	alter(t, dir, `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
		') STRICT, WITHOUT', ') WITHOUT'), ') STRICT', ')'), ' NOT NULL', '') WHERE type = 'table'`)
	db := raw(t, dir)
	db.SetMaxOpenConns(1)
	for _, pragma := range []string{"busy_timeout = 5000", "ignore_check_constraints = ON", "synchronous = OFF"} {
		if _, err := db.Exec("PRAGMA " + pragma); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// damages returns values that this program writes to no column.
func damages() []any {
	return []any{nil, int64(-1), int64(1), int64(1<<63 - 1), int64(-1 << 63), 1.5, "", "nonsense", strings.Repeat("x",
		6000), "{", "null", "[]",
		`{"a":1,"a":2}`, `{"status":"nonsense","txDigest":7}`, `{"type":"swap","type":"transfer"}`, []byte{},
		make([]byte, 31), []byte{0xff, 0xfe}}
}

// mixed returns a store in which each table has a row named victim, which will be damaged, and
// other rows, which will not.
func mixed(t *testing.T) *lived {
	h := life(t)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"well", "victim"} {
		h.review(id+"-ready", record.Ready, false)
		h.review(id+"-signed", record.SignedPendingResult, true)
		h.review(id+"-done", record.Success, true)
		ok(h.db.CreateIdentity(h.ctx, account.Identity{ID: id, Status: account.Opened, CreatedAt: h.c.Now(),
			UpdatedAt: h.c.Now(),
			ExpiresAt: h.c.Now().Add(time.Hour)}))
		ok(h.db.ChangePage(h.ctx, pagetoken.Review, id+"-ready", func(p *pagetoken.Page) (string, error) {
			p.OpenedTwice = true
			p.Links = []pagetoken.Link{{Code: pagetoken.Hash{3, id[0]}, IssuedAt: h.c.Now(),
				ExpiresAt: h.c.Now().Add(time.Hour)}}
			p.Passes = []pagetoken.Held{{Token: pagetoken.Hash{4, id[0]}, Pass: pagetoken.Pass{ID: id, Kind: pagetoken.Review,
				Subject: id + "-ready",
				Access:  pagetoken.Active, IssuedAt: h.c.Now(), LastUsedAt: h.c.Now(), ExpiresAt: h.c.Now().Add(time.Hour)}}}
			return "link_opened", nil
		}))
	}
	ok(h.db.ChangeAccounts(h.ctx, func(a *account.Accounts) error {
		for _, address := range []sui.Address{doer, victimAccount} {
			a.Known = append(a.Known, account.Known{Account: address, Chain: "sui:localnet", WalletName: "W",
				FirstConnectedAt: h.c.Now(), LastConnectedAt: h.c.Now()})
		}
		return nil
	}))
	for _, c := range []sui.Digest{chain, victimChain} {
		ok(h.db.See(h.ctx, c, func(node.Seen) node.Seen { return node.Seen{Epoch: 7, Since: h.c.Now(), GasPrice: 750} }))
	}
	k := keepOf(0, 3)
	k.Covered = []activity.Interval{{From: 0, To: 1, Since: 1, Until: 2}, {From: 5, To: 6, Since: 5, Until: 6}}
	_, err := h.db.KeepActivity(h.ctx, k)
	ok(err)
	ok(h.db.KeepDescriptions(h.ctx, chain, []assets.Described{{Coin: victimCoin, Found: true, Decimals: 9, Symbol: "V",
		Name: "V", At: h.c.Now()}}, time.Time{}))
	return h
}

var (
	victimChain   = sui.Digest{0xfe, 0xed}
	victimAccount = sui.MustAddress("0xfeed")
	victimCoin    = sui.CoinType(sui.MustAddress("0xfeed").String() + "::v::V")
)

// answers returns the results of all readers, by subject. If a whole read fails, its result is the
// error.
func (h *lived) answers(writes bool) map[string]string {
	got := map[string]string{}
	put := func(key string, v any, err error) {
		if err != nil {
			v = "error: " + err.Error()
		}
		got[key] = fmt.Sprintf("%+v", v)
	}
	read := func(what string, err error) { put(what, "answers", err) }
	for _, id := range []record.ID{"done", "gone", "ready", "blocked", "well-ready", "well-signed", "well-done"} {
		row, err := h.db.ReviewRow(h.ctx, id)
		row.Session.Revision = 0
		put("review "+string(id), fmt.Sprintf("%+v %d", row.Session.Status, len(row.Materials)), err)
	}
	if writes { // slow, and they read the same data as the reads
		_, err := h.db.Change(h.ctx, "well-ready", "step", bump)
		read("a change", err)
		read("a change of a page", h.db.ChangePage(h.ctx, pagetoken.Review, "well-ready", func(p *pagetoken.Page) (string,
			error) {
			if len(p.Links) != 1 || len(p.Passes) != 1 || !p.OpenedTwice {
				err = fmt.Errorf("the page is %+v", p)
			}
			return "looked", err
		}))
	}
	waiting, err := h.db.WaitingReviews(h.ctx, h.c.Now(), 100)
	read("the home page", err)
	for _, w := range waiting {
		put("home "+string(w.ID), w.Status, nil)
	}
	scope := history.Scope{Account: sui.MustAddress("0xa1")}
	past, _, err := h.db.ReviewActivity(h.ctx, scope, 100)
	read("the history", err)
	for _, a := range past {
		put("history "+string(a.ID), a.Status, nil)
	}
	_, err = h.db.ReviewFunnel(h.ctx, scope)
	read("the funnel", err)
	pending, err := h.db.Pending(h.ctx, 100)
	read("what is pending", err)
	for _, w := range pending.Reviews {
		put("pending "+string(w.ID), w.Status, nil)
	}
	for _, i := range pending.Identities {
		put("pending connection "+i.ID, i.Status, nil)
	}
	_, err = h.db.ReviewDetail(h.ctx, "well-done", 10)
	read("the detail", err)
	unsettled, err := h.db.Unsettled(h.ctx)
	read("the unsettled", err)
	for _, id := range unsettled {
		put("unsettled "+string(id), "", nil)
	}
	h.otherAnswers(put, read)
	return got
}

func (h *lived) otherAnswers(put func(string, any, error), read func(string, error)) {
	handed, err := h.db.Handed(h.ctx, h.c.Now().Add(-time.Hour))
	put("handed", len(handed), err)
	opened, err := h.db.Open(h.ctx, sui.MustAddress("0xa1"))
	put("open", len(opened), err)
	s, err := h.db.Seen(h.ctx, chain)
	put("seen", s.Epoch, err)
	_, err = h.db.Seen(h.ctx, victimChain)
	read("what was seen", err)
	_, err = h.db.Paid(h.ctx, sui.MustAddress("0xa1"))
	read("paid", err)
	for _, id := range []string{"i1", "i2", "well"} {
		i, err := h.db.Identity(h.ctx, id)
		put("connection "+id, i.Status, err)
	}
	active, set, err := h.db.ActiveAccount(h.ctx)
	put("active", fmt.Sprint(set, active.Account), err)
	known, err := h.db.KnownAccounts(h.ctx)
	read("the accounts", err)
	for _, k := range known {
		put("known "+k.Account.String(), k.Chain, nil)
	}
	stored, err := h.db.Settings(h.ctx)
	put("settings", stored, err)
	coins, err := h.db.Descriptions(h.ctx, chain, []sui.CoinType{sui.SUI, victimCoin}, time.Time{})
	read("the coins", err)
	for _, d := range coins {
		put("coin "+string(d.Coin), d.Symbol, nil)
	}
	got, err := h.db.Activity(h.ctx, activity.Span{Account: doer}, 100)
	read("what was done", err)
	for _, r := range got.Rows {
		put("done "+r.Digest.String(), r.At, nil)
	}
	_, err = h.db.ActivityFlows(h.ctx, activity.Span{Account: doer})
	read("the flows", err)
	for _, token := range []pagetoken.Hash{{2, byte(len(pagetoken.Review))}, {4, 'w'}} {
		p, found, err := h.db.FindPass(h.ctx, token)
		put("pass "+hex.EncodeToString(token[:2]), fmt.Sprint(found, p.Access), err)
	}
	_, err = h.db.UnopenedLinks(h.ctx, h.c.Now().Add(-time.Hour), h.c.Now())
	read("the unopened links", err)
	entries, err := h.db.JournalSince(h.ctx, events.Review, "well-done", 0)
	read("the journal", err)
	put("journal", len(entries) > 0, nil)
	d, err := h.db.BackupData(h.ctx)
	put("a copy", "answers", err)
	for _, k := range d.Accounts.Known {
		put("copied "+k.Account.String(), "", nil)
	}
	put("copied lists", fmt.Sprint(len(d.Book), len(d.OwnNames), len(d.Watched)), nil)
	_, err = h.db.Damaged(h.ctx, 1000)
	read("doctor", err)
}

// damagedRow selects the row to damage. lost lists the answers that may be missing afterwards, in
// addition to those that contain "victim".
type damagedRow struct {
	where string
	lost  []string
}

func victims() map[string]damagedRow {
	first := keptTransaction(0).Digest
	return map[string]damagedRow{
		"reviews": {where: "id LIKE 'victim%'", lost: []string{"open"}},
		// The total of a day, or the open releases, become unknown.
		"releases":       {where: "review_id LIKE 'victim%'", lost: []string{"handed", "open"}},
		"materials":      {where: "review_id LIKE 'victim%'"},
		"identities":     {where: "id = 'victim'"},
		"passes":         {where: "id = 'victim'"},
		"links":          {where: "subject LIKE 'victim%'"},
		"opened_twice":   {where: "subject LIKE 'victim%'"},
		"journal":        {where: "subject LIKE 'victim%'"},
		"active_account": {where: "id = 1", lost: []string{"active"}},
		"known_accounts": {where: "account = x'" + hex.EncodeToString(victimAccount[:]) + "'",
			lost: []string{"known " + victimAccount.String(), "copied " + victimAccount.String()}},
		"coin_metadata": {where: "coin_type = '" + string(victimCoin) + "'", lost: []string{"coin " +
			string(victimCoin)}},
		// A lost limit must not allow anything.
		"settings":       {where: "true", lost: []string{"settings", "a copy", "copied"}},
		"chain_seen":     {where: "chain = x'" + hex.EncodeToString(victimChain[:]) + "'"},
		"activity_chain": {where: "id = 1"},
		"activity_transactions": {where: "digest = x'" + hex.EncodeToString(first[:]) + "'", lost: []string{"done " +
			first.String()}},
		"activity_flows":    {where: "digest = x'" + hex.EncodeToString(first[:]) + "'"},
		"activity_coverage": {where: "from_checkpoint = 0"},
		"freeze":            {where: "id = 1"}, // the row's existence prevents releases, regardless of its contents
		"access_tokens":     {where: "true"},   // a damaged token gives no access
		"conversations":     {where: "true"},
		"log":               {where: "subject LIKE 'review/victim%'"},
		"log_id":            {where: "id = 1"},
		"log_trimmed":       {where: "true"}, // only lists removed events, and none were removed here
		"consumers":         {where: "true"},
		"book":              {where: "true", lost: []string{"copied lists"}},
		"book_closed":       {where: "true"}, // like freeze: the row's existence closes the book
		"own_names":         {where: "true", lost: []string{"copied lists"}},
		"watched":           {where: "true", lost: []string{"copied lists"}},
		"actions":           {where: "true"},
		"resting_orders":    {where: "true"},
		"requests":          {where: "review NOT LIKE 'well%'"},
		"request_steps":     {where: "review_id NOT LIKE 'well%'"},
		"request_approvals": {where: "true"},
		"plans":             {where: "true"},
		"plan_calls":        {where: "true"},
		"names_forgotten":   {where: "true"},
		"paid":              {where: "true"}, // a damaged recipient counts as not paid
		"paid_names":        {where: "true"},
		"record_names":      {where: "true"},
		"record_signatures": {where: "true"},
		"remotes":           {where: "true"}, // a damaged machine has no access
		"epoch_ends":        {where: "true"},
		"workspace_folders": {where: "true"}, // a damaged row is not a project
		"workspace_changes": {where: "true"}, // a damaged change is never applied
		"tasks":             {where: "subject LIKE 'review/victim%'"},
	}
}

// every selects every n-th damage. Each column has 18 damages, so 5 leaves three or four per
// column. make lies tests all of them.
var every = flag.Int("every", max(5, raceEvery), "look at every n-th damaged row only")

// A damaged row does not affect other rows, in whichever column and way it is damaged.
func TestEveryColumnOfEveryTable(t *testing.T) {
	long.Skip(t, "it damages thousands of rows")
	t.Parallel()
	tables := must[[]string](t)(texts(raw(t, life(t).dir),
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`))
	// Two stores share the tables, and are damaged in parallel.
	const stores = 2
	var cases atomic.Int64
	t.Run("tables", func(t *testing.T) {
		for part := range stores {
			t.Run(fmt.Sprintf("of store %d", part+1), func(t *testing.T) {
				t.Parallel()
				double.Hurry() // by now, the tests that measure memory have ended
				d := newDamager(t)
				for i := part; i < len(tables); i += stores {
					d.damage(t, tables[i])
				}
				cases.Add(int64(d.cases))
			})
		}
	})
	if n := cases.Load(); n < 1500 {
		t.Errorf("only %d rows were damaged", n)
	}
}

// damager damages rows of one store and compares the answers before and after.
type damager struct {
	h     *lived
	db    *sql.DB
	want  map[string]string
	cases int
}

func newDamager(t *testing.T) *damager {
	t.Helper()
	d := &damager{h: mixed(t)}
	d.db = loosened(t, d.h.dir)
	d.execute(t, `INSERT INTO own_names VALUES ('`+victimAccount.String()+`', 'mine')`)
	d.execute(t, `INSERT INTO book_closed VALUES (1)`)
	payee := sui.MustAddress("0xa1")
	d.execute(t, `INSERT INTO paid VALUES (x'`+hex.EncodeToString(payee[:])+`', '`+victimAccount.String()+
		`', 1600000000000000000, 1, '')`)
	signed := hashchain.Statement{Head: hashchain.Head{Number: 1}, Account: victimAccount}.Message()
	d.execute(t, `INSERT INTO record_names VALUES (zeroblob(32), 1, 'client', zeroblob(32), 'Claude')`)
	d.execute(t, `INSERT INTO record_signatures VALUES (zeroblob(32), 1, zeroblob(32), '`+signed+
		`', 'AA==', 1600000000000000000)`)
	d.execute(t, `INSERT INTO paid_names VALUES ('bob.sui', '`+victimAccount.String()+`', '`+victimAccount.String()+
		`', 1600000000000000000)`)
	d.execute(t, `INSERT INTO names_forgotten VALUES ('alice.sui', 1600000000000000000)`)
	d.execute(t, `INSERT INTO remotes VALUES (zeroblob(32), 'home', '123-456', 'cloud', 'all_tools', 1, 2, 0, 0)`)
	d.execute(t, `INSERT INTO workspace_folders VALUES ('mine', '/projects/mine', 'confirm', 1)`)
	d.execute(t,
		`INSERT INTO workspace_changes VALUES ('edit_1', 'mine', '/projects/mine', 'a.move', '', 0, 'diff', '', x'61', x'62',
		'applied', '', '', 1, 2, 3)`)
	step := proof.FileStep{Epoch: 0, Summary: sandbox.BeforeFirst()}
	if err := d.h.db.KeepEpochEnds(t.Context(), victimChain, []proof.FileStep{step}); err != nil {
		t.Fatal(err)
	}
	d.want = d.h.answers(true)
	for key, answer := range d.want {
		if strings.HasPrefix(answer, "error: ") {
			t.Fatalf("%s before anything is damaged: %s", key, answer)
		}
	}
	return d
}

func (d *damager) execute(t *testing.T, query string) {
	t.Helper()
	if _, err := d.db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// damage applies every damage to every column of a table's victim.
func (d *damager) damage(t *testing.T, table string) {
	victim, known := victims()[table]
	if !known {
		t.Errorf("the table %s has no row to be damaged here", table)
		return
	}
	columns := must[[]string](t)(texts(d.db, `SELECT name FROM pragma_table_info('`+table+`')`))
	d.execute(t, `CREATE TEMP TABLE kept AS SELECT * FROM main."`+table+`"`)
	for _, column := range columns {
		for i, value := range damages() {
			writes := i == 0 || value == int64(1<<63-1) || value == "nonsense"
			if _, err := d.db.Exec(`UPDATE "`+table+`" SET "`+column+`" = ? WHERE `+victim.where, value); err != nil {
				continue // the engine rejects it, for example as a duplicate key
			}
			if d.cases++; d.cases%*every == 0 {
				d.h.compare(t, d.want, d.h.answers(writes), victim.lost, fmt.Sprintf("%s.%s is %.40q", table, column,
					fmt.Sprint(value)))
			}
			d.execute(t, `DELETE FROM "`+table+`"; INSERT INTO "`+table+`" SELECT * FROM kept`)
		}
	}
	d.execute(t, `DROP TABLE kept`)
}

// compare reports answers that are missing or different.
func (h *lived) compare(t *testing.T, want, got map[string]string, lost []string, what string) {
	t.Helper()
	for key, answer := range want {
		may := strings.Contains(key, "victim")
		for _, l := range lost {
			may = may || strings.HasPrefix(key, l)
		}
		if _, asked := got[key]; !asked && strings.HasPrefix(key, "a change") {
			continue
		}
		if !may && got[key] != answer {
			t.Errorf("%s: %s is %.300q, was %q", what, key, got[key], answer)
		}
	}
}

func texts(db *sql.DB, query string) ([]string, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// A damaged row is reported with its table, key and reason.
func TestDamagedRowsAreNamed(t *testing.T) {
	ctx := context.Background()
	h := mixed(t)
	if found := must[[]string](t)(named(h)); len(found) > 0 && strings.Contains(strings.Join(found, " "), "reviews") {
		t.Fatalf("before anything is damaged: %v", found)
	}
	db := loosened(t, h.dir)
	for _, c := range []struct{ edit, want string }{
		{`UPDATE reviews SET status = 'paid' WHERE id = 'victim-done'`,
			"reviews victim-done: its status is unknown"},
		{`UPDATE releases SET gas_coin_json = '{' WHERE review_id = 'victim-signed'`,
			"reviews victim-signed: gas_coin_json cannot be read back"},
		{`UPDATE settings SET value_json = '{}' WHERE key = 'sui_grpc_url'`, "settings sui_grpc_url: its value is invalid"},
		{`UPDATE identities SET status = 'king' WHERE id = 'victim'`, "identities victim: its status is unknown"},
		{`UPDATE passes SET access = 'all' WHERE id = 'victim'`, "passes victim: its access is unknown"},
	} {
		if _, err := db.Exec(c.edit); err != nil {
			t.Fatal(err)
		}
		if found := strings.Join(must[[]string](t)(named(h)), "\n"); !strings.Contains(found, c.want) {
			t.Errorf("%s: %s", c.want, found)
		}
	}
	if _, err := h.db.Review(ctx, "victim-done"); err == nil || !strings.Contains(err.Error(),
		"victim-done of reviews is damaged and set aside") {
		t.Errorf("%v", err)
	}
	t.Run("nothing is taken as excluded by a damaged open release", func(t *testing.T) {
		if _, err := h.db.Open(ctx, sui.MustAddress("0xa1")); err == nil || !strings.Contains(err.Error(),
			"nothing more is released for this account") {
			t.Errorf("%v", err)
		}
	})
	t.Run("a limit of a day is not summed past a damaged release", func(t *testing.T) {
		if _, err := h.db.Handed(ctx, h.c.Now().Add(-time.Hour)); err == nil || !strings.Contains(err.Error(), "doctor") {
			t.Errorf("%v", err)
		}
	})
	t.Run("an account that is damaged is connected anew", func(t *testing.T) {
		if _, err := db.Exec(`UPDATE active_account SET account = 'x'`); err != nil {
			t.Fatal(err)
		}
		if _, set, err := h.db.ActiveAccount(ctx); set || err != nil {
			t.Errorf("%t, %v", set, err)
		}
		err := h.db.ChangeAccounts(ctx, func(a *account.Accounts) error {
			a.Active = &account.Active{Account: doer, Chain: "sui:localnet", ConnectedAt: h.c.Now()}
			return nil
		})
		if active, set, again := h.db.ActiveAccount(ctx); err != nil || again != nil || !set || active.Account != doer {
			t.Errorf("%v, %v, %t", err, again, set)
		}
	})
	t.Run("a copy is taken and put in elsewhere", func(t *testing.T) {
		if _, err := db.Exec(`DELETE FROM settings`); err != nil {
			t.Fatal(err)
		}
		if err := life(t).put(copyOf(t, h.svc), all); err != nil {
			t.Error(err)
		}
	})
}

func named(h *lived) ([]string, error) {
	var out []string
	list, err := h.db.Damaged(h.ctx, 1000)
	for _, d := range list {
		out = append(out, d.Table+" "+d.Row+": "+d.Reason)
	}
	return out, err
}

// A damaged number of a journal row does not block all writes.
func TestLastNumberOfTheJournal(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	id := create(t, db, c, "r1")
	if _, err := raw(t, dir).Exec(`UPDATE journal SET seq = 9223372036854775807`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := db.Change(ctx, id, "step", bump); err != nil {
			t.Fatal(err)
		}
	}
	entries := must[[]events.Entry](t)(db.JournalSince(ctx, events.Review, "r1", 0))
	if len(entries) != 2 || entries[1].Seq <= entries[0].Seq || entries[1].Seq > 1<<53 {
		t.Errorf("%+v", entries)
	}
}
