// Package cards creates the cards that some AI clients show with a tool's result (MCP Apps). A card
// is an HTML page without data. It reads one result, which the client passes to it, and shows it in
// the style of the pages. It loads nothing, and sends nothing except requests to open a link. It
// cannot sign, approve or change anything, because it calls no tool.
package cards

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"maps"
	"regexp"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/marks"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

//go:embed assets
var files embed.FS

// Card is the card of one kind of result.
type Card struct {
	Name, Title, About string
	// HTML returns the page, which is created on first use.
	HTML func() (string, error)
}

// All returns the cards. Their links lead to pages at origin. If origin is "", they have no links.
func All(origin string) []Card {
	list := []Card{
		{Name: "review", Title: "Review", About: "The action and amounts of a prepared review, and its link."},
		{Name: "holdings", Title: "Holdings", About: "The coins of an account and their worth."},
		{Name: "receipt", Title: "Receipt", About: "The result of a reviewed transaction."},
	}
	for i, c := range list {
		list[i].HTML = sync.OnceValues(func() (string, error) { return c.page(origin) })
	}
	return list
}

// rowMould is the data of the pages' template of a row. Every field has a value, so that the script
// can copy the row and replace its texts.
type rowMould struct {
	Coin, Label, LabelFact, Fine, Sign, Tone, Fact string
	Listed, Hero                                   bool
	Amount                                         struct{ Head, Rest, Symbol, Size string }
	Notes                                          []struct{ Text, Fact string }
}

// face is the data of a card's template.
type face struct {
	Card
	Origin        string
	Row           rowMould
	Icons, Coins  []string
	Mark          template.HTML
	Style         template.CSS
	Colors        string
	Shared, Reads template.JS
}

var cardIcons = []string{"check", "clock", "cross", "explorer", "info", "stop", "warn"}

func (c Card) page(origin string) (string, error) {
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		return "", err
	}
	functions := words.Functions()
	maps.Copy(functions, marks.Functions())
	all, err := template.New("").Funcs(functions).ParseFS(web.Assets(), "parts.html")
	if err == nil {
		all, err = all.ParseFS(assets, "card.html")
	}
	if err != nil {
		return "", err
	}
	f := face{Card: c, Origin: origin, Icons: cardIcons, Coins: marks.Coins()}
	f.Row.Label, f.Row.Amount.Symbol, f.Row.Notes = "-", "-", []struct{ Text, Fact string }{{Text: "-"}}
	read := func(from fs.FS, name string) string {
		var b []byte
		if err == nil {
			b, err = fs.ReadFile(from, name)
		}
		return string(b)
	}
	f.Mark = template.HTML(read(web.Assets(), "mark.svg"))
	f.Shared, f.Reads = script(read(assets, "card.js")), script(read(assets, c.Name+".js"))
	sheet, own := read(web.Assets(), "style.css"), read(assets, "card.css")
	if err != nil {
		return "", err
	}
	colors, err := json.Marshal(marks.Colors())
	if err != nil {
		return "", err
	}
	f.Colors = string(colors)
	var bare, whole bytes.Buffer
	if err := all.ExecuteTemplate(&bare, "card", f); err != nil {
		return "", err
	}
	f.Style = template.CSS(themed(rulesFor(sheet, bare.String())) + squeezed(own))
	err = all.ExecuteTemplate(&whole, "card", f)
	return whole.String(), err
}

var blankLines = regexp.MustCompile(`\n\s*`)

// script returns a script without its comments.
func script(text string) template.JS {
	return template.JS(strings.TrimSpace(blankLines.ReplaceAllString(string(web.WithoutComments([]byte(text))), "\n")))
}
