package screen

import "slices"

// slip remembers a word without each of its letters.
func (d dictionary) slip(entry string) {
	if len(entry) < leastSlip {
		return
	}
	for i := range len(entry) {
		short := entry[:i] + entry[i+1:]
		d.slips[short] = joined(d.slips, short, 0)
	}
}

// Thresholds of words that are not written as the list has them.
const (
	leastSlip     = 4   // letters of a word that may be misspelt
	surelyWritten = 7   // of twelve words are not
	fewMingled    = 8   // different ones among them: chance repeats more in one phrase of 10^10
	fewStarts     = 6   // different ones of eleven: starts are fewer than words
	leastFiller   = 4   // times that a word between words comes back
	fillerShare   = 16  // one in so many words, in a long text
	mostMisspelt  = 100 // words of a text that is read so: as many as one field has
	mostMingled   = 200 // words of a text that is read without fillers: longer ones repeat everything
)

// brief finds words of which the first three, four or five letters are left.
func (d dictionary) brief(tokens []string) bool {
	found := make([]word, len(tokens))
	for _, cut := range d.starts {
		for i, token := range tokens {
			found[i] = missing
			if w, ok := cut[token]; ok {
				found[i] = w
			}
		}
		if row(found, 1, leastRun, leastRun, fewStarts) {
			return true
		}
	}
	return false
}

// misspelt finds twelve English words in a row, up to four of them with a letter
// too many, too few, another one or two in the wrong order.
func (d dictionary) misspelt(tokens []string, whole []word) bool {
	const window = 12
	if len(tokens) < window || len(tokens) > mostMisspelt {
		return false
	}
	loose := slices.Clone(whole)
	buffer := make([]byte, 0, 16)
	for i, token := range tokens {
		if whole[i].lists&1 != 0 || len(token) < leastSlip || len(token) > 12 {
			continue
		}
		if w, ok := d.slips[token]; ok {
			loose[i] = word{-2 - w.id, 1}
			continue
		}
		for cut := range len(token) {
			buffer = append(append(buffer[:0], token[:cut]...), token[cut+1:]...)
			w, ok := d.all[string(buffer)]
			if !ok || w.lists&1 == 0 {
				w, ok = d.slips[string(buffer)]
			}
			if ok {
				loose[i] = word{-2 - w.id, 1}
				break
			}
		}
	}
	known, sure := 0, 0
	for i := range loose {
		known, sure = known+int(loose[i].lists&1), sure+int(whole[i].lists&1)
		if out := i - window; out >= 0 {
			known, sure = known-int(loose[out].lists&1), sure-int(whole[out].lists&1)
		}
		if known == window && sure >= surelyWritten && varied(loose, i, 1, window, 1) >= fewMingled {
			return true
		}
	}
	return false
}

// mingled finds words between others that come back again and again, as labels
// do, and words of which two are written as one.
func (d dictionary) mingled(tokens []string, whole []word) bool {
	counts := make(map[string]int, len(tokens))
	for _, token := range tokens {
		counts[token]++
	}
	most := max(leastFiller, len(tokens)/fillerShare)
	var left, parted []word
	for i, token := range tokens {
		if counts[token] < most {
			left = append(left, whole[i])
		}
		if whole[i] == missing {
			if a, b, ok := d.two(token); ok {
				parted = append(parted, a, b)
				continue
			}
		}
		parted = append(parted, whole[i])
	}
	if len(left) < len(tokens) && len(tokens) <= mostMingled && (row(left, 1, 12, 12, fewMingled) || row(left, 2, 12, 12, fewMingled)) {
		return true
	}
	return len(parted) > len(tokens) && row(parted, 1, leastRun, leastRun, fewMingled+1)
}

// two parts a token into two words of one list. Where several places do, the
// words count for the lists of all.
func (d dictionary) two(token string) (a, b word, ok bool) {
	const shortest = 3
	if !ascii(token) || len(token) > 2*d.longest[0] {
		return missing, missing, false
	}
	a, b = missing, missing
	for at := shortest; at+shortest <= len(token); at++ {
		if !d.heads[int(token[at])<<8|int(token[at+1])] {
			continue
		}
		left, right := d.all[token[:at]], d.all[token[at:]]
		if both := left.lists & right.lists; both != 0 {
			a, b = word{left.id, a.lists | both}, word{right.id, b.lists | both}
		}
	}
	return a, b, a.lists != 0
}

// gluedAnyhow reports letters that are eleven words or more without a gap, also
// backwards or of each word the first four.
func (d dictionary) gluedAnyhow(letters string) bool {
	if d.glued(d.all, letters) {
		return true
	}
	if !ascii(letters) {
		return false
	}
	turned := []byte(letters)
	slices.Reverse(turned)
	return d.glued(d.all, string(turned)) || d.glued(d.starts[1], letters)
}

// glued reports the same of the words of one map.
func (d dictionary) glued(words map[string]word, letters string) bool {
	const shortest = 3
	longest := d.longest[0]
	if !ascii(letters) {
		longest = d.longest[1]
	}
	count := make([]int8, len(letters)+1)
	for from := 0; from+shortest <= len(letters); from++ {
		if !d.heads[int(letters[from])<<8|int(letters[from+1])] {
			continue
		}
		for n := shortest; n <= min(longest, len(letters)-from); n++ {
			if count[from]+1 <= count[from+n] {
				continue
			}
			if w, ok := words[letters[from:from+n]]; ok && w.lists&d.chineseBits == 0 {
				if count[from+n] = count[from] + 1; count[from+n] >= leastRun {
					return true
				}
			}
		}
	}
	return false
}
