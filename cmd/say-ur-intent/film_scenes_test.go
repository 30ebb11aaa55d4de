//go:build unix

package main

import "time"

// How long a frame is shown.
const (
	glance = 1100 * time.Millisecond
	reads  = 2200 * time.Millisecond
	linger = 3600 * time.Millisecond
)

// scenes play the pages of the tour, in the order of the tour.
var scenes = []func(f *film, link string) error{filmConnect, filmSwap, filmOrder, filmLimit, filmStopped, filmReceipt}

func filmConnect(f *film, link string) error {
	f.you("Connect my wallet.")
	f.assistant("Here is a page on your own computer. Choose your wallet there.")
	return f.play(link,
		waitFor(`!!document.querySelector('.wallet')`), take(reads),
		clickOn(`.wallet`), waitFor(`!!document.querySelector('[data-part="accounts"] button')`), take(glance),
		clickOn(`[data-part="accounts"] button`), waitFor(`document.body.innerText.includes('Return to your AI client')`),
		take(reads))
}

func filmSwap(f *film, link string) error {
	f.you("Swap 10 SUI to USDC, at most 0.5 % worse.")
	f.assistant("I prepared a review. I have a link for you, and nothing that could be signed.")
	if err := f.play(link, ready, scroll(0), take(linger), scroll(430), take(reads), scroll(860), take(reads),
		press); err != nil {
		return err
	}
	f.assistant("Done. 10 SUI left, and the USDC that arrived are within what you read.")
	return f.play("", scroll(0), take(linger))
}

func filmOrder(f *film, link string) error {
	f.you("Sell 10 SUI at " + demoPrice + " USDC each, or better.")
	f.assistant("An order on DeepBook. The page shows its price, what it ties up, and how to undo it.")
	return f.play(link, ready, scroll(0), take(linger), press, scroll(0), take(reads))
}

func filmLimit(f *film, link string) error {
	f.you("What if you ask for too much?")
	f.assistant("You set limits on your own page. I cannot change them.")
	return f.play(link,
		waitFor(`!!document.querySelector('[data-action="add"]')`),
		clickOn(`[data-action="add"]`), waitFor(`!!document.querySelector('[name="each"]')`),
		fill(`[name="each"]`, "5"), showAt(`#h-limits`), take(reads),
		clickOn(`[data-form="limits"] button.main`),
		waitFor(`document.querySelector('[data-answer="limits"]').innerText.includes('Saved.')`),
		showAt(`[data-answer="limits"]`), take(glance))
}

func filmStopped(f *film, link string) error {
	f.you("Swap 10 SUI again.")
	f.assistant("Blocked: it exceeds your limit of 5 SUI.")
	return f.play(link,
		waitFor(`['blocked', 'refresh_required', 'ready'].includes(document.getElementById('view')?.dataset.stage)`),
		scroll(0), take(linger))
}

func filmReceipt(f *film, link string) error {
	f.you("Show me the first swap again.")
	f.assistant("Here is what happened on chain. Anyone can look it up.")
	return f.play(link, waitFor(`document.querySelector('[data-action="look"]')?.disabled === false`), take(glance),
		clickOn(`[data-action="look"]`), waitFor(`!!document.querySelector('[data-part="found"]')?.children.length`),
		showAt(`[data-part="found"]`), take(linger))
}
