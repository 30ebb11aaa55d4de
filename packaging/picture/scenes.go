package main

import "time"

// How long a picture stays.
const (
	glance = 1100 * time.Millisecond
	read   = 2200 * time.Millisecond
	linger = 3600 * time.Millisecond
)

// scenes are the pages of the tour, in its order.
var scenes = []func(f *film, link string) error{connect, swap, order, limit, stopped, receipt}

func connect(f *film, link string) error {
	f.you("Connect my wallet.")
	f.assistant("Here is a page on your own computer. Choose your wallet there.")
	return f.play(link,
		wait(`!!document.querySelector('.wallet')`), take(read),
		click(`.wallet`), wait(`!!document.querySelector('[data-part="accounts"] button')`), take(glance),
		click(`[data-part="accounts"] button`), wait(`document.body.innerText.includes('Return to your AI client')`),
		take(read))
}

func swap(f *film, link string) error {
	f.you("Swap 10 SUI to USDC, at most 0.5 % worse.")
	f.assistant("I prepared a review. I have a link for you, and nothing that could be signed.")
	if err := f.play(link, ready, scroll(0), take(linger), scroll(430), take(read), scroll(860), take(read), press); err != nil {
		return err
	}
	f.assistant("Done. 10 SUI left, and the USDC that arrived are within what you read.")
	return f.play("", scroll(0), take(linger))
}

func order(f *film, link string) error {
	f.you("Sell 10 SUI at 9.5 USDC each, or better.")
	f.assistant("An order on DeepBook. The page says its price, what it ties up, and how to undo it.")
	return f.play(link, ready, scroll(0), take(linger), press, scroll(0), take(read))
}

func limit(f *film, link string) error {
	f.you("And if you ask for too much?")
	f.assistant("You set limits on your own page. I cannot change them.")
	return f.play(link,
		wait(`!!document.querySelector('[data-list="perTransaction"] [data-action="add"]')`),
		click(`[data-list="perTransaction"] [data-action="add"]`), wait(`!!document.querySelector('[data-list="perTransaction"] [name="most"]')`),
		enter(`[data-list="perTransaction"] [name="most"]`, "5"), at(`#h-limits`), take(read),
		click(`[data-form="limits"] button.main`), wait(`document.querySelector('[data-answer="limits"]').innerText.trim() !== ''`),
		at(`[data-answer="limits"]`), take(glance))
}

func stopped(f *film, link string) error {
	f.you("Swap 10 SUI again.")
	f.assistant("Your limit of 5 SUI stops it.")
	return f.play(link, wait(`['blocked', 'refresh_required', 'ready'].includes(document.getElementById('view')?.dataset.stage)`),
		scroll(0), take(linger))
}

func receipt(f *film, link string) error {
	f.you("Show me the first swap again.")
	f.assistant("Here is what the chain did. Anybody may ask for it.")
	return f.play(link, wait(`document.querySelector('[data-action="look"]')?.disabled === false`), take(glance),
		click(`[data-action="look"]`), wait(`!!document.querySelector('[data-part="found"]')?.children.length`),
		at(`[data-part="found"]`), take(linger))
}
