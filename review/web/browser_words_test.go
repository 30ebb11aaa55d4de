package web_test

import (
	"strconv"
	"testing"
)

// wordsShown counts the words that a page shows on a phone, without its shell and with folds
// closed. An address counts as one word.
func (b *tab) wordsShown() int {
	b.t.Helper()
	n, err := strconv.Atoi(b.eval(`(() => {
		let words = 0;
		const walker = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
		for (let node = walker.nextNode(); node; node = walker.nextNode()) {
			const at = node.parentElement;
			const address = at.closest('.address');
			if (!at.checkVisibility() || at.closest('.unseen, option, template')) continue;
			if (address) words += address.contains(node) && node === document.createTreeWalker(address, NodeFilter.SHOW_TEXT).nextNode() ? 1 : 0;
			else words += (node.data.match(/\S*[\p{L}\p{N}]\S*/gu) ?? []).length;
		}
		return words;
	})()`))
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// wordBudget fails if a page shows more words than a user reads in ten seconds.
func (b *tab) wordBudget(t *testing.T, page string, most int) {
	t.Helper()
	b.size(390, 844)
	if n := b.wordsShown(); n > most || n == 0 {
		t.Errorf("%s shows %d words, at most %d are allowed:\n%s", page, n, most, b.eval(`document.getElementById('main').innerText`))
	} else {
		t.Logf("%s shows %d words", page, n)
	}
}
