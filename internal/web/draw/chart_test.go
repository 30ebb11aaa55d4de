package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

var (
	drawnBase  = plan.Asset{Symbol: "SUI", CoinType: "0x2::sui::SUI", Decimals: 9}
	drawnQuote = plan.Asset{Symbol: "USDC", CoinType: "0xa::usdc::USDC", Decimals: 6}
	drawnAt    = time.Date(2026, 1, 30, 12, 0, 5, 0, time.UTC)
)

func aBook() Book {
	return Book{Source: "the market SUI_USDC", Base: drawnBase, Quote: drawnQuote, Middle: "3.5", At: drawnAt,
		Bids: []Offer{{"3.49", "100"}, {"3.48", "250.5"}, {"3.4", "1000"}},
		Asks: []Offer{{"3.51", "80"}, {"3.53", "400"}, {"3.6", "700"}}}
}

func aDay() PastPrices {
	p := PastPrices{Source: "the indexer", Base: drawnBase, Quote: drawnQuote, From: drawnAt.Add(-24 * time.Hour),
		To: drawnAt, At: drawnAt}
	for i, price := range []sui.Decimal{"3.4", "3.45", "3.62", "3.3", "3.5"} {
		p.Points = append(p.Points, PastPrice{At: p.From.Add(time.Duration(i+1) * 4 * time.Hour), Price: price,
			Apart: i == 2 || i == 3})
	}
	return p
}

func swapOf(coin sui.CoinType, amount sui.Decimal) Mark {
	n, _ := positive(amount)
	return Mark{pays: coin, amount: n}
}

func orderOf(buys bool, price, amount sui.Decimal) Mark {
	m := swapOf("", amount)
	m.limit, _ = positive(price)
	m.buys = buys
	return m
}

// golden compares a drawing with the stored one. If there is none, it stores the drawing for
// review.
func golden(t *testing.T, name, drawn string) {
	t.Helper()
	path := filepath.Join("testdata", name+".html")
	want, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s is new: %v", path, os.WriteFile(path, []byte(drawn), 0o644))
		return
	}
	if drawn != string(want) {
		t.Errorf("%s differs:\n%s", path, drawn)
	}
}

// TestPictureOfABook draws each kind of mark in one book.
func TestPictureOfABook(t *testing.T) {
	for _, c := range []struct {
		name, told string
		mark       Mark
	}{
		{"swap-sells", "your swap reaches 3.48", swapOf(drawnBase.CoinType, "150")},
		{"swap-buys", "your swap reaches 3.53", swapOf(drawnQuote.CoinType, "300")},
		{"swap-ends-with-an-offer", "your swap reaches 3.49", swapOf(drawnBase.CoinType, "100")},
		{"swap-too-large", "your swap takes more than these offers", swapOf(drawnBase.CoinType, "5000")},
		{"order-waits", "your price 3.55", orderOf(false, "3.55", "10")},
		{"order-fills", "your price 3.48", orderOf(false, "3.48", "200")},
		{"order-buys-above", "your price 3.53", orderOf(true, "3.53", "100")},
		{"order-far", "your price 24.5", orderOf(false, "24.5", "10")},
		{"order-far-below", "your price 0.5", orderOf(true, "0.5", "10")},
	} {
		t.Run(c.name, func(t *testing.T) {
			drawn := string(BookChart(aBook(), c.mark))
			golden(t, "picture-"+c.name, drawn)
			for _, words := range []string{c.told, "buyers want 1,350.5 SUI at 3.49 to 3.4",
				"sellers offer 1,180 SUI at 3.51 to 3.6 USDC per SUI",
				"the mid price is 3.5", "30 Jan 2026, 12:00:05 UTC", "not guaranteed", `role="img"`} {
				if !strings.Contains(drawn, words) {
					t.Errorf("it does not say %q", words)
				}
			}
			inside(t, drawn)
		})
	}
}

// TestPictureOfADay draws prices with gaps, and an order's limit that is near.
func TestPictureOfADay(t *testing.T) {
	for name, m := range map[string]Mark{
		"day": swapOf(drawnBase.CoinType, "10"), "day-order": orderOf(false, "3.75", "10"), "day-order-far": orderOf(false,
			"24.5", "10"),
	} {
		t.Run(name, func(t *testing.T) {
			drawn := string(PastChart(aDay(), m))
			golden(t, "picture-"+name, drawn)
			if !strings.Contains(drawn, "highest 3.62, lowest 3.3, latest 3.5 USDC per SUI") || !strings.Contains(drawn,
				"not guaranteed") {
				t.Error("the sentence lacks the figures: ", drawn)
			}
			if marked := strings.Contains(drawn, "your price"); marked != (name == "day-order") {
				t.Errorf("the limit is marked: %v", marked)
			}
			inside(t, drawn)
		})
	}
}

// TestPicturesOfLies checks that impossible data draws nothing.
func TestPicturesOfLies(t *testing.T) {
	long := sui.Decimal("1" + strings.Repeat("0", 20))
	for name, change := range map[string]func(*Book){
		"no bids":                    func(b *Book) { b.Bids = nil },
		"no asks":                    func(b *Book) { b.Asks = nil },
		"no middle":                  func(b *Book) { b.Middle = "" },
		"no time":                    func(b *Book) { b.At = time.Time{} },
		"a middle of zero":           func(b *Book) { b.Middle = "0" },
		"a middle under the bids":    func(b *Book) { b.Middle = "3.4" },
		"a middle over the asks":     func(b *Book) { b.Middle = "3.52" },
		"a bid of nothing":           func(b *Book) { b.Bids[1].Amount = "0" },
		"an ask for nothing":         func(b *Book) { b.Asks[0].Price = "0.0" },
		"bids out of order":          func(b *Book) { b.Bids[0], b.Bids[1] = b.Bids[1], b.Bids[0] },
		"a bid twice":                func(b *Book) { b.Bids[1] = b.Bids[0] },
		"asks out of order":          func(b *Book) { b.Asks[1].Price = "3.7" },
		"sides that cross":           func(b *Book) { b.Bids, b.Asks = b.Bids[:1], b.Asks[:1]; b.Bids[0].Price = "3.51" },
		"an amount that is too long": func(b *Book) { b.Asks[2].Amount = long },
		"a price that is too long":   func(b *Book) { b.Asks[2].Price = long },
		"an exponent":                func(b *Book) { b.Asks[2].Price = "4e9" },
		"a sign":                     func(b *Book) { b.Bids[2].Price = "-3.4" },
		"words":                      func(b *Book) { b.Bids[2].Amount = "<svg onload=alert(1)>" },
		"too many":                   func(b *Book) { b.Bids = append(b.Bids, make([]Offer, mostOffers)...) },
		"other coins":                func(b *Book) { b.Base.CoinType, b.Quote.CoinType = "0x1::a::A", "0x1::b::B" },
		"one coin":                   func(b *Book) { b.Quote = b.Base },
	} {
		b := aBook()
		change(&b)
		if drawn := BookChart(b, swapOf(drawnBase.CoinType, "10")); drawn != "" {
			t.Errorf("%s: %s", name, drawn)
		}
	}
	for name, change := range map[string]func(*PastPrices){
		"one price":       func(p *PastPrices) { p.Points = p.Points[:1] },
		"no time":         func(p *PastPrices) { p.At = time.Time{} },
		"a price of zero": func(p *PastPrices) { p.Points[1].Price = "0" },
		"a long price":    func(p *PastPrices) { p.Points[1].Price = long },
		"out of order":    func(p *PastPrices) { p.Points[1].At = p.Points[2].At },
		"before the day":  func(p *PastPrices) { p.Points[0].At = p.From.Add(-1) },
		"after the day":   func(p *PastPrices) { p.Points[4].At = p.To.Add(1) },
		"a week":          func(p *PastPrices) { p.From = p.To.Add(-7 * 24 * time.Hour) },
		"no day":          func(p *PastPrices) { p.From = p.To },
		"too many":        func(p *PastPrices) { p.Points = make([]PastPrice, mostPoints+1) },
	} {
		p := aDay()
		change(&p)
		if drawn := PastChart(p, Mark{}); drawn != "" {
			t.Errorf("%s: %s", name, drawn)
		}
	}
	b := aBook()
	b.Source, b.Base.Symbol = `"><script>`, `<b>`
	if drawn := string(BookChart(b, swapOf(drawnBase.CoinType, "10"))); strings.Contains(drawn, "<script") ||
		strings.Contains(drawn, "<b>") {
		t.Error("markup of a source is markup: ", drawn)
	}
}

// TestPicturesStayInside draws random books and days of every size, and checks that no coordinate
// and no text is outside the drawing.
func TestPicturesStayInside(t *testing.T) {
	long.Skip(t, "it draws 2,000 pictures")
	r := rand.New(rand.NewPCG(1, 2))
	raw := func() sui.Raw { return 1 + sui.Raw(r.Uint64()>>r.IntN(64)) }
	number := func() sui.Decimal { return raw().Decimal(uint8(r.IntN(20))) }
	drawn := 0
	for range 400 {
		middle, places := 1+raw()>>2, uint8(r.IntN(19))
		b := Book{Source: "s", Base: drawnBase, Quote: drawnQuote, Middle: middle.Decimal(places), At: drawnAt}
		for price := middle; price > 1 && len(b.Bids) < 20; {
			price -= 1 + sui.Raw(r.Uint64N(uint64(price)))>>r.IntN(60)
			if price == 0 {
				break
			}
			b.Bids = append(b.Bids, Offer{price.Decimal(places), number()})
		}
		for price := middle; len(b.Asks) < 20 && price < 1<<62; {
			price += 1 + sui.Raw(r.Uint64N(uint64(price)))>>r.IntN(60)
			b.Asks = append(b.Asks, Offer{price.Decimal(places), number()})
		}
		for _, m := range []Mark{swapOf(drawnBase.CoinType, number()), swapOf(drawnQuote.CoinType, number()),
			orderOf(r.IntN(2) == 0, number(), number()), orderOf(r.IntN(2) == 0, (middle + 1).Decimal(places), number())} {
			if one := string(BookChart(b, m)); one != "" {
				drawn++
				inside(t, one)
			}
		}
		p := aDay()
		for i := range p.Points {
			p.Points[i].Price, p.Points[i].Apart = number(), r.IntN(3) == 0
		}
		if one := string(PastChart(p, orderOf(true, number(), "1"))); one != "" {
			drawn++
			inside(t, one)
		}
	}
	if drawn < 800 {
		t.Errorf("only %d were drawn", drawn)
	}
}

var (
	pathStep  = regexp.MustCompile(`([MLHVhZ])([0-9 -]*)`)
	pathShape = regexp.MustCompile(`^(M\d+ \d+|L\d+ \d+|H\d+|V\d+|h0|Z)+$`)
)

// inside parses a drawing as XML. It checks every coordinate against the size of the drawing, and
// every text by the length to which the browser scales it.
func inside(t *testing.T, drawn string) {
	t.Helper()
	within := func(what, text string, most int) int {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > most {
			t.Fatalf("%s is %q, of %d\n%s", what, text, most, drawn)
		}
		return n
	}
	lines := map[int][][2]int{}
	d := xml.NewDecoder(strings.NewReader(drawn))
	at := map[string]string{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err, drawn)
		}
		switch token := token.(type) {
		case xml.StartElement:
			at = map[string]string{"": token.Name.Local}
			for _, a := range token.Attr {
				at[a.Name.Local] = a.Value
			}
			if at["style"] != "" {
				t.Fatal("a style stands in the drawing: ", drawn)
			}
			for name, most := range map[string]int{"x": pictureWidth, "cx": pictureWidth, "y": pictureHeight,
				"cy": pictureHeight} {
				if at[name] != "" {
					within(name, at[name], most)
				}
			}
			if path := at["d"]; at[""] == "path" {
				if !pathShape.MatchString(path) {
					t.Fatalf("a path is %q", path)
				}
				for _, step := range pathStep.FindAllStringSubmatch(path, -1) {
					switch n := strings.Fields(step[2]); step[1] {
					case "M", "L":
						within("x", n[0], pictureWidth)
						within("y", n[1], pictureHeight)
					case "H":
						within("x", n[0], pictureWidth)
					case "V":
						within("y", n[0], pictureHeight)
					}
				}
			}
		case xml.CharData:
			if at[""] != "text" || strings.TrimSpace(string(token)) == "" {
				continue
			}
			x, y, wide := within("x", at["x"], pictureWidth), within("y", at["y"], pictureHeight), within("length",
				at["textLength"], pictureWidth)
			left := map[string]int{"start": x, "middle": x - wide/2, "end": x - wide}[at["text-anchor"]]
			if left < 0 || left+wide > pictureWidth {
				t.Fatalf("%q goes from %d to %d", token, left, left+wide)
			}
			for _, other := range lines[y] {
				if left < other[1] && other[0] < left+wide {
					t.Fatalf("%q touches another text of its line\n%s", token, drawn)
				}
			}
			lines[y] = append(lines[y], [2]int{left, left + wide})
		case xml.EndElement:
			at = map[string]string{}
		}
	}
}

// TestPictureNumbers checks that sums and limits are printed exactly, and that the edges of the
// plot are rounded.
func TestPictureNumbers(t *testing.T) {
	for text, want := range map[sui.Decimal]string{"0.0123": "0.013", "12.1": "13", "99.5": "100", "1": "1", "0.1": "0.1",
		"1234": "1,300"} {
		n, ok := positive(text)
		if got := exactly(twoDigits(n)); !ok || got != want {
			t.Errorf("%s becomes %s, not %s", text, got, want)
		}
	}
	for _, text := range []sui.Decimal{"0", "0.00", "", "1.", ".5", "1e3", "-1", sui.Decimal(strings.Repeat("9", 21)),
		sui.Decimal("0." + strings.Repeat("0", 20) + "1")} {
		if n, ok := positive(text); ok {
			t.Errorf("%q is drawn as %v", text, n)
		}
	}
	if n, _ := positive("1234567.000000000000000001"); exactly(n) != "1,234,567.000000000000000001" {
		t.Error(exactly(n))
	}
}
