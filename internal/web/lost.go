package web

import "net/http"

// lost is the text of an error page: the problem and what to do about it. It contains nothing from
// the request.
type lost struct{ Title, Text, Do string }

// Icon returns the name of the page's icon.
func (l *lost) Icon() string {
	if l.Tone() == "" {
		return "search"
	}
	return "warn"
}

// Tone returns the color of the icon. It is "" for a wrong address, which does no harm.
func (l *lost) Tone() string {
	switch *l {
	case lostPages[http.StatusInternalServerError]:
		return "bad"
	case lostPages[http.StatusForbidden], lostPages[http.StatusTooManyRequests]:
		return "warn"
	}
	return ""
}

// lostPages are the error pages by status. They contain no data, because the caller presented no
// token.
var lostPages = map[int]lost{
	http.StatusNotFound: {"Nothing here", "There is no page at this address.",
		"Pages are opened by links that your AI client gives you. Copy the whole link, or ask for a new one."},
	http.StatusBadRequest: {"Not a usable address",
		"This address is not written the way this program writes its links, so it was not looked at.",
		"Open the link exactly as your AI client gave it, with nothing added and nothing cut off."},
	http.StatusForbidden: {"Refused", "Another website asked for this page. That is refused, so that no website can act " +
		"in your name.",
		"If it was you, paste the link into the address bar yourself."},
	http.StatusMethodNotAllowed: {"Not a page",
		"This address is there for the pages of this program, and shows nothing by itself.",
		"Open the link that your AI client gave you."},
	http.StatusTooManyRequests: {"Too much at once", "This program is asked for more than it answers at one time.",
		"Close some of its pages, wait a moment, and reload."},
	http.StatusInternalServerError: {"Something went wrong",
		"The program that serves this page failed to answer. Nothing was signed or sent by this.",
		"Reload the page. If it fails again, restart your AI client; the program's log says more."},
}

// failPage responds to a failed navigation. A browser that used another host name gets one line of
// text, because it could not load the files of a page.
func (s *Server) failPage(w http.ResponseWriter, r *http.Request, status int, text string) {
	const plain = "text/plain; charset=utf-8"
	if r.Host != s.host {
		write(w, status, plain, []byte(text+"\n"))
		return
	}
	words, ok := lostPages[status]
	if !ok {
		words = lost{"Not possible", "This address cannot be opened like this.",
			"Open the link that your AI client gave you."}
	}
	p := s.shell("lost", words.Title)
	p.Lost, p.Entries = &words, entries("")
	if err := s.page(w, status, p); err != nil {
		write(w, http.StatusInternalServerError, plain, []byte("The page could not be drawn.\n"))
	}
}
