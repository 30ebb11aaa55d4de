package screen_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/mr-tron/base58"
	"golang.org/x/text/unicode/norm"
)

// wordsTold are phrases as people and programs write them.
func wordsTold() []attack {
	word := func(form string, by string) func(d draw) string {
		return func(d draw) string {
			return d.each(func(_ int, w string) string { return strings.ReplaceAll(form, "w", w) }, by)
		}
	}
	numbered := func(form, by string) func(d draw) string {
		return func(d draw) string {
			return d.each(func(i int, w string) string { return fmt.Sprintf(form, i+1, w) }, by)
		}
	}
	cut := func(n int, by string) func(d draw) string {
		return func(d draw) string { return d.each(func(_ int, w string) string { return w[:min(n, len(w))] }, by) }
	}
	plainly := func(d draw) string { return strings.Join(d.phrase(12), " ") }
	return append([]attack{
		{"words over three fields with names", func(d draw) []string {
			w := d.phrase(12)
			return []string{"one: " + strings.Join(w[:4], " "), "two: " + strings.Join(w[4:8], " "), "three: " + strings.Join(w[8:], " ")}
		}},
		{"two words per field with names", func(d draw) []string {
			w, all := d.phrase(12), []string(nil)
			for i := 0; i < len(w); i += 2 {
				all = append(all, fmt.Sprintf("part %d is %s %s", i, w[i], w[i+1]))
			}
			return all
		}},
		{"a word per field with its number", func(d draw) []string {
			return strings.Split(numbered("word number %d is %s", "\x00")(d), "\x00")
		}},
		{"words in wide letters", one(func(d draw) string { return wide(plainly(d)) })},
		{"words in small capitals", one(func(d draw) string {
			return mapped(plainly(d), "abcdefghijklmnoprtuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢ")
		})},
		{"words in bold letters", one(func(d draw) string { return letters(plainly(d), 0x1d41a) })},
		{"words in circles", one(func(d draw) string { return letters(plainly(d), 0x24d0) })},
		{"words in black circles", one(func(d draw) string { return letters(plainly(d), 0x1f150) })},
		{"words in flags", one(func(d draw) string { return letters(plainly(d), 0x1f1e6) })},
		{"words with accents", one(func(d draw) string {
			return d.each(func(_ int, w string) string { return w[:1] + "\u0301" + w[1:] }, " ")
		})},
		{"words with digits for letters", one(func(d draw) string { return mapped(plainly(d), "oeia", "0314") })},
		{"words by escaped line breaks", one(word("w", `\n`))},
		{"words by escaped tabs", one(word("w", `\t`))},
		{"words as bullets", one(word("* w", "\n"))},
		{"words in backticks", one(word("`w`", " "))},
		{"words in a list of mark-up", one(word("<li>w</li>", ""))},
		{"words in a table of mark-up", one(word("<tr><td>w</td></tr>", ""))},
		{"words in an array", one(word(`"w"`, ","))},
		{"words as members", one(numbered(`"word%d": "%s"`, ", "))},
		{"words in a table with numbers", one(numbered("| %d | %s | ok |", "\n"))},
		{"words in a table with more columns", one(word("| key | w | seen twice |", "\n"))},
		{"words with ordinals", one(numbered("%dth %s", ", "))},
		{"words, numbered and glued", one(numbered("%d%s", ""))},
		{"words with spelled numbers", one(func(d draw) string {
			return d.each(func(i int, w string) string { return spelledOut(fmt.Sprint(i%10), false) + " " + w }, " ")
		})},
		{"words in sentences", one(func(d draw) string {
			return d.each(func(i int, w string) string {
				return "the " + spelledOut(fmt.Sprint(i%10), false) + "th of them is " + w
			}, ", ")
		})},
		{"words by underscores", one(word("w", "_"))}, {"words by hyphens", one(word("w", "-"))}, {"words by full stops", one(word("w", "."))},
		{"words in a path", one(word("/w", ""))},
		{"words in a URL", one(func(d draw) string { return "?q=" + url.QueryEscape(plainly(d)) })},
		{"words in percents twice", one(func(d draw) string { return url.PathEscape(escaped(plainly(d), "%%%02x")) })},
		{"words in octal escapes", one(func(d draw) string { return escaped(plainly(d), `\%03o`) })},
		{"words in codes", one(func(d draw) string { return list(bytesOf([]byte(plainly(d))), " ") })},
		{"words in hex pairs", one(func(d draw) string { return grouped(hex.EncodeToString([]byte(plainly(d))), 2, " ") })},
		{"base32 of words", one(func(d draw) string { return base32.StdEncoding.EncodeToString([]byte(plainly(d))) })},
		{"base58 of words", one(func(d draw) string { return base58.Encode([]byte(plainly(d))) })},
		{"12 words glued", one(word("w", ""))},
		{"words glued by two", one(func(d draw) string {
			w, all := d.phrase(12), []string(nil)
			for i := 0; i < len(w); i += 2 {
				all = append(all, w[i]+w[i+1])
			}
			return strings.Join(all, " ")
		})},
		{"words glued backwards", one(func(d draw) string { return backwards(word("w", "")(d)) })},
		{"words cut to three letters", one(cut(3, " "))}, {"words cut to five letters", one(cut(5, " "))},
		{"words cut to four letters and glued", one(cut(4, ""))}, {"words cut to four letters with full stops", one(cut(4, ". "))},
		{"words between three fillers", one(word("w", " which is then "))},
		{"words between five fillers", one(word("w", " lorem ipsum dolor sit amet "))},
		{"words between other fillers", one(func(d draw) string {
			return d.each(func(i int, w string) string { return strings.Repeat("well ", i%3) + w }, " ")
		})},
		{"words with four slips", one(func(d draw) string {
			return d.each(func(i int, w string) string {
				if i%3 == 1 {
					return d.swapped(w)
				}
				return w
			}, " ")
		})},
		{"letters of words by pilots", one(func(d draw) string { return spelledOut(word("w", "")(d), true) })},
	}, moreLanguages()...)
}

// moreLanguages are the other ways to write phrases of the other lists.
func moreLanguages() []attack {
	var all []attack
	for _, l := range otherLists() {
		write := func(n int, by string) func(d draw) string {
			return func(d draw) string { return norm.NFC.String(strings.Join(in(l.words, d.mnemonic(n)), by)) }
		}
		all = append(all,
			attack{l.name + " by commas", one(write(12, ", "))},
			attack{l.name + " in capitals", one(func(d draw) string { return strings.ToUpper(write(15, l.by)(d)) })},
			attack{l.name + ", 21 words backwards", one(func(d draw) string {
				w := in(l.words, d.mnemonic(21))
				for i, j := 0, len(w)-1; i < j; i, j = i+1, j-1 {
					w[i], w[j] = w[j], w[i]
				}
				return strings.Join(w, l.by)
			})},
			attack{l.name + ", numbered", one(func(d draw) string {
				w := in(l.words, d.mnemonic(12))
				for i := range w {
					w[i] = fmt.Sprintf("%d. %s", i+1, norm.NFC.String(w[i]))
				}
				return strings.Join(w, "\n")
			})},
			attack{l.name + ", one wrong word", one(func(d draw) string {
				w := in(l.words, d.mnemonic(12))
				w[1+d.IntN(10)] = "qqzz"
				return strings.Join(w, l.by)
			})},
			attack{l.name + " over two fields", func(d draw) []string {
				w := in(l.words, d.mnemonic(12))
				return []string{strings.Join(w[:5], l.by), strings.Join(w[5:], l.by)}
			}},
			attack{"base64 of " + l.name, one(func(d draw) string { return base64.StdEncoding.EncodeToString([]byte(write(12, l.by)(d))) })},
			attack{"percent of " + l.name, one(func(d draw) string { return url.PathEscape(write(12, l.by)(d)) })})
		if l.by == " " && !strings.Contains(l.name, "Chinese") {
			all = append(all, attack{l.name + " glued", one(write(24, ""))})
		}
	}
	return all
}
