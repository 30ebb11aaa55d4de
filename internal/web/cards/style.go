package cards

import (
	"regexp"
	"strings"
)

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssSpace   = regexp.MustCompile(`\s+`)
	word       = regexp.MustCompile(`[A-Za-z][\w-]*`)
	tags       = regexp.MustCompile(`<[^>]*>`)
	literals   = regexp.MustCompile("'[^'\n]*'|`[^`]*`")
	// name matches the names in a selector: elements, classes, ids, attributes, and pseudo-classes,
	// which begin with a colon.
	name = regexp.MustCompile(`[.#\[:]*[A-Za-z][\w-]*`)
)

// rule is one rule of a style sheet, or a group of them under a condition such as @media.
type rule struct {
	head, body string
	inside     []rule // rules of a group
}

// squeezed removes comments and line breaks from a style sheet.
func squeezed(sheet string) string {
	return strings.TrimSpace(cssSpace.ReplaceAllString(cssComment.ReplaceAllString(sheet, ""), " "))
}

// readRules parses rules. It does not support braces in strings, which the style sheet does not
// have.
func readRules(sheet string) (list []rule) {
	for {
		head, rest, found := strings.Cut(sheet, "{")
		if !found {
			return list
		}
		depth, end := 1, 0
		for ; end < len(rest) && depth > 0; end++ {
			switch rest[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		r := rule{head: strings.TrimSpace(head), body: strings.TrimSpace(rest[:max(end-1, 0)])}
		if strings.HasPrefix(r.head, "@") {
			r.inside = readRules(r.body)
		}
		list, sheet = append(list, r), rest[end:]
	}
}

// rulesFor returns the rules of the pages' style sheet that a page can use. In such a rule, every
// name occurs as a word in the page's tags or in a text of its script.
func rulesFor(sheet, page string) []rule {
	html, code, _ := strings.Cut(page, "<script>")
	used := map[string]bool{"root": true}
	for _, text := range append(tags.FindAllString(html, -1), literals.FindAllString(code, -1)...) {
		for _, w := range word.FindAllString(text, -1) {
			used[w] = true
		}
	}
	return usable(readRules(squeezed(sheet)), used)
}

func usable(all []rule, used map[string]bool) (list []rule) {
	for _, r := range all {
		if r.inside != nil {
			if r.inside = usable(r.inside, used); len(r.inside) > 0 && !strings.HasPrefix(r.head, "@keyframes") {
				list = append(list, r)
			}
			continue
		}
		var kept []string
		for _, one := range selectors(r.head) {
			if fits(one, used) {
				kept = append(kept, one)
			}
		}
		if len(kept) > 0 && !strings.HasPrefix(r.head, "@") {
			r.head = strings.Join(kept, ",")
			list = append(list, r)
		}
	}
	return list
}

// fits reports whether a selector can select anything on a page.
func fits(selector string, used map[string]bool) bool {
	for _, n := range name.FindAllString(selector, -1) {
		//mutant:never ./internal/web/cards TestStyle
		if n[0] != ':' && !used[strings.TrimLeft(n, ".#[")] {
			return false
		}
	}
	return true
}

// selectors splits a list of selectors at its commas, except those in parentheses.
func selectors(head string) (list []string) {
	depth, from := 0, 0
	for i, c := range head {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			list, from = append(list, strings.TrimSpace(head[from:i])), i+1
		}
	}
	return append(list, strings.TrimSpace(head[from:]))
}

const dark = "@media (prefers-color-scheme: dark)"

// themed changes rules so that the root element's data-theme, which a client sets, takes precedence
// over the theme of the system.
func themed(list []rule) string {
	var b strings.Builder
	for _, r := range list {
		switch {
		case r.head == dark:
			b.WriteString(dark + "{" + under(":root:not([data-theme])", r.inside) + "}" +
				under(`:root[data-theme="dark"]`, r.inside))
		case r.inside != nil:
			b.WriteString(r.head + "{" + themed(r.inside) + "}")
		default:
			b.WriteString(r.head + "{" + r.body + "}")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// under limits rules to elements under a root.
func under(root string, list []rule) string {
	var b strings.Builder
	for _, r := range list {
		heads := selectors(r.head)
		for i, one := range heads {
			if heads[i] = root + " " + one; one == ":root" {
				heads[i] = root
			}
		}
		b.WriteString(strings.Join(heads, ",") + "{" + r.body + "}")
	}
	return b.String()
}
